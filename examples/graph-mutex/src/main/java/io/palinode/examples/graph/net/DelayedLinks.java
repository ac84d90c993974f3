package io.palinode.examples.graph.net;

import io.palinode.voldemort.client.link.LinkModel;
import java.util.Arrays;
import java.util.Random;
import java.util.function.LongSupplier;

/** The links of one client to all nodes. Thread-safe. */
final class DelayedLinks implements LinkModel {
  private final Geography geography;
  private final int region;
  private final LongSupplier nanoTime;
  private final Schedule schedule;
  private final Link[] requests;
  private final Link[] responses;

  /** Where messages wait; those with equal times must leave in the order of the calls. */
  @FunctionalInterface
  interface Schedule {
    void at(long dueNanos, Runnable delivery);
  }

  DelayedLinks(
      Geography geography, int region, long seed, LongSupplier nanoTime, Schedule schedule) {
    Geography.requireRegion("region", region);
    this.geography = geography;
    this.region = region;
    this.nanoTime = nanoTime;
    this.schedule = schedule;
    Random seeds = new Random(seed);
    this.requests = links(seeds);
    this.responses = links(seeds);
  }

  @Override
  public void carry(int node, Direction direction, Runnable delivery) {
    Geography.requireRegion("node", node);
    switch (direction) {
      case REQUEST -> send(requests[node], region, node, delivery);
      case RESPONSE -> send(responses[node], node, region, delivery);
    }
  }

  private static Link[] links(Random seeds) {
    Link[] links = new Link[Geography.REGIONS];
    Arrays.setAll(links, node -> new Link(new Random(seeds.nextLong())));
    return links;
  }

  private void send(Link link, int from, int to, Runnable delivery) {
    synchronized (link) {
      long due = nanoTime.getAsLong() + geography.delayNanos(from, to, link.random);
      // A message with little jitter waits for the one before it. By difference: nanoTime may wrap.
      if (link.used && link.lastDueNanos - due > 0) {
        due = link.lastDueNanos;
      }
      link.used = true;
      link.lastDueNanos = due;
      schedule.at(due, delivery);
    }
  }

  /** One node and direction; guarded by itself. */
  private static final class Link {
    final Random random;
    boolean used;
    long lastDueNanos;

    Link(Random random) {
      this.random = random;
    }
  }
}
