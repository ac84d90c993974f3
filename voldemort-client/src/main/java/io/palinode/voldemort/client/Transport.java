package io.palinode.voldemort.client;

import io.netty.channel.EventLoopGroup;
import java.time.Duration;
import java.util.function.LongSupplier;

/** What the connections of one client share. */
record Transport(
    EventLoopGroup threads,
    Duration requestTimeout,
    LinkModel links,
    Session session,
    ReplicaOrder order,
    ClientMetrics metrics,
    LongSupplier nanoTime) {

  /** The same without a network between, for what has no place in it. */
  Transport direct() {
    return new Transport(
        threads, requestTimeout, LinkModel.DIRECT, session, order, metrics, nanoTime);
  }
}
