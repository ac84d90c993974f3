package io.palinode.benchmarks;

import io.palinode.hvc.Hlc;
import java.io.IOException;
import java.util.Random;

/**
 * Writes a made-up trace, line by line, for {@code palinode detect}. An interval begins every 10
 * ms, of the next instance and term, at any node, and is over within 6 ms; nodes receive each
 * other's clocks at random, and their clocks agree to 1 ms. So nothing is concurrent but what is
 * made so: some intervals, with those of the other terms that follow, last until all of them hold.
 * Keeps O(nodes²).
 */
public final class TraceMaker {
  private static final long SLOT_MICROS = 10_000;
  private static final long EPSILON_MICROS = 1_000;
  private static final long LENGTH_MICROS_MIN = 1_000;
  private static final long BEGIN_MICROS = 1_000_000_000_000_000L;

  private final Shape shape;
  private final Random random;
  private final long[][] clocks;
  private final long[] sequences;
  private long heldUntilSlot = -1;

  /**
   * @param violated share of the candidates that begin a violation, in [0, 1]
   * @param open share of the candidates that never end, in [0, 1]
   */
  public record Shape(
      long candidates, int nodes, int terms, int instances, double violated, double open) {
    public Shape {
      require("candidates", candidates, 0, Long.MAX_VALUE / SLOT_MICROS);
      require("nodes", nodes, 1, 100);
      require("terms", terms, 1, 64);
      require("instances", instances, 1, 1_000_000);
      if (!(violated >= 0 && violated <= 1 && open >= 0 && open <= 1)) {
        throw new IllegalArgumentException(
            "shares must be in [0, 1]: violated=" + violated + " open=" + open);
      }
    }

    private static void require(String name, long value, long min, long max) {
      if (value < min || value > max) {
        throw new IllegalArgumentException(
            name + " must be in [" + min + ", " + max + "]: " + name + "=" + value);
      }
    }
  }

  public TraceMaker(Shape shape, long seed) {
    this.shape = shape;
    this.random = new Random(seed);
    this.clocks = new long[shape.nodes()][shape.nodes()];
    this.sequences = new long[shape.nodes()];
  }

  /** The predicate of the trace, in YAML. */
  public String predicate() {
    StringBuilder yaml =
        new StringBuilder(
            """
            apiVersion: palinode.io/v1
            kind: Predicate
            metadata: {name: made-up}
            spec:
              epsilon: %dus
              replicas: any
              forEach: {instance: "{i}"}
              violation:
                - all:
            """
                .formatted(EPSILON_MICROS));
    for (int term = 0; term < shape.terms(); term++) {
      yaml.append("        - {var: \"x").append(term).append("_{i}\", equals: \"1\"}\n");
    }
    return yaml.toString();
  }

  /** Writes all lines. */
  public void write(Appendable out) throws IOException {
    StringBuilder line = new StringBuilder();
    for (long slot = 0; slot < shape.candidates(); slot++) {
      line.setLength(0);
      candidate(slot, line);
      out.append(line);
    }
  }

  private void candidate(long slot, StringBuilder line) {
    int node = random.nextInt(shape.nodes());
    long instance = slot % shape.instances();
    long round = slot / shape.instances();
    if (round > heldUntilSlot && random.nextDouble() < shape.violated()) {
      heldUntilSlot = round + shape.terms() - 1;
    }
    long start = BEGIN_MICROS + slot * SLOT_MICROS + random.nextInt(1_000);
    long end = start + LENGTH_MICROS_MIN + random.nextInt(4_000);
    if (round <= heldUntilSlot) {
      end = BEGIN_MICROS + (heldUntilSlot + 1) * shape.instances() * SLOT_MICROS;
    }
    receive(node, start);
    line.append("{\"predicate\":\"made-up\",\"binding\":\"i=").append(instance);
    line.append("\",\"clause\":0,\"term\":").append(round % shape.terms());
    line.append(",\"node\":").append(node).append(",\"seq\":").append(++sequences[node]);
    line.append(",\"start\":");
    clock(node, start, line);
    if (random.nextDouble() >= shape.open()) {
      line.append(",\"end\":");
      clock(node, end, line);
    }
    line.append("}\n");
  }

  /** Advances the node's clock; one time in four it receives another node's clock. */
  private void receive(int node, long now) {
    long[] own = clocks[node];
    long[] other = clocks[random.nextInt(shape.nodes())];
    boolean receives = random.nextInt(4) == 0;
    for (int each = 0; each < own.length; each++) {
      own[each] = Math.max(Math.max(own[each], now - EPSILON_MICROS), receives ? other[each] : 0);
    }
    own[node] = now;
  }

  private void clock(int node, long now, StringBuilder line) {
    long[] own = clocks[node];
    for (int each = 0; each < own.length; each++) {
      line.append(each == 0 ? "[\"" : "\",\"");
      long known = Math.max(own[each], now - EPSILON_MICROS);
      line.append(Hlc.format(Hlc.ofMicros(each == node ? now : known)));
    }
    line.append("\"]");
  }
}
