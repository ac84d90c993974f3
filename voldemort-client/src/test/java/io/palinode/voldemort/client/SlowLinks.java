package io.palinode.voldemort.client;

import io.palinode.voldemort.client.link.LinkModel;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/** A network in which each message takes a while, by chance; those of a link keep their order. */
final class SlowLinks implements LinkModel, AutoCloseable {
  private record Link(int node, Direction direction) {}

  private final int nanosMax;
  private final Random random;
  private final AtomicLong lost = new AtomicLong();
  private final Map<Link, ExecutorService> links = new ConcurrentHashMap<>();

  SlowLinks(int nanosMax, Random random) {
    this.nanosMax = nanosMax;
    this.random = random;
  }

  @Override
  public void carry(int node, Direction direction, Runnable delivery) {
    int nanos = random.nextInt(nanosMax);
    try {
      links
          .computeIfAbsent(new Link(node, direction), link -> Executors.newSingleThreadExecutor())
          .execute(
              () -> {
                LockSupport.parkNanos(nanos);
                delivery.run();
              });
    } catch (RejectedExecutionException closed) {
      // Messages under way at the end are lost.
      lost.incrementAndGet();
    }
  }

  @Override
  public void close() {
    links.values().forEach(ExecutorService::shutdownNow);
  }
}
