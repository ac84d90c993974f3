package io.palinode.voldemort.client.link;

import io.netty.channel.EventLoopGroup;
import io.palinode.voldemort.client.session.Session;
import java.util.function.LongSupplier;

/** What the connections of one client share. */
public record Transport(
    EventLoopGroup threads,
    NodeLinks links,
    Session session,
    LinkListener listener,
    LongSupplier nanoTime) {}
