package io.palinode.detection;

import io.palinode.hvc.Epsilon;
import io.palinode.hvc.Hvc;
import io.palinode.hvc.HvcClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** Nodes with real HVC clocks over skewed physical ones, and clients that carry causality. */
final class Nodes {
  private static final long SKEW_MAX_MICROS = 2_000;
  private static final long[] STEPS_MICROS = {1, 20, 200, 2_000, 20_000};

  private final Random random;
  private final long step;
  private final List<HvcClock> clocks = new ArrayList<>();
  private final Hvc[] clients;
  private long now = 1_000_000_000;

  Nodes(Random random, int nodes, Epsilon epsilon) {
    this.random = random;
    this.step = STEPS_MICROS[random.nextInt(STEPS_MICROS.length)];
    // Only a finite ε bounds how far clocks are apart.
    long skewMax = epsilon.isInfinite() ? SKEW_MAX_MICROS : epsilon.micros();
    for (int node = 0; node < nodes; node++) {
      long skew = random.nextLong(skewMax + 1);
      clocks.add(new HvcClock(node, nodes, epsilon, () -> now + skew, Duration.ofHours(1)));
    }
    this.clients = new Hvc[1 + random.nextInt(nodes)];
    java.util.Arrays.fill(clients, Hvc.unknown(nodes));
  }

  void passTime() {
    now += random.nextLong(2 * step + 1);
  }

  /** The true time, in microseconds. */
  long now() {
    return now;
  }

  int any() {
    return random.nextInt(clocks.size());
  }

  /** Right before a write. */
  Hvc before(int node) {
    return clocks.get(node).tick();
  }

  /** A write, with or without a client's request. */
  Hvc write(int node) {
    return random.nextBoolean() ? clocks.get(node).tick() : request(node);
  }

  /** A client's request: the client and the node exchange their clocks. */
  Hvc request(int node) {
    int client = random.nextInt(clients.length);
    Hvc reading = clocks.get(node).tick(clients[client]);
    clients[client] = clients[client].merge(reading);
    return reading;
  }

  Hvc receive(int node, Hvc message) {
    return clocks.get(node).tick(message);
  }
}
