package io.palinode.simulation.environment;

/**
 * What lies between processes, each named by a number. A link may be cut, in both directions, and
 * be slow; what is sent while it is cut waits, as TCP has it, until it is whole again or the sender
 * gives up.
 */
public final class Network {
  /** How often a sender on a cut link tries again. */
  public static final long RETRY_MICROS = 20_000;

  private static final long LATENCY_MICROS_MIN = 50;
  private static final long LATENCY_MICROS_MAX = 4_000;

  private final VirtualTime time;
  private final Dice dice;
  private final boolean[][] cut;
  private final int[][] slowness;

  public Network(int endpoints, VirtualTime time, Dice dice) {
    this.time = time;
    this.dice = dice;
    this.cut = new boolean[endpoints][endpoints];
    this.slowness = new int[endpoints][endpoints];
  }

  VirtualTime time() {
    return time;
  }

  public void cut(int a, int b, boolean isCut) {
    cut[a][b] = isCut;
    cut[b][a] = isCut;
  }

  public boolean isCut(int a, int b) {
    return cut[a][b];
  }

  /** {@code times} as slow as it usually is; 1: no slower. */
  public void slow(int from, int to, int times) {
    slowness[from][to] = times - 1;
  }

  /** Everything is whole and fast again. */
  public void heal() {
    for (int a = 0; a < cut.length; a++) {
      for (int b = 0; b < cut.length; b++) {
        cut[a][b] = false;
        slowness[a][b] = 0;
      }
    }
  }

  public long latencyMicros(int from, int to) {
    return (1 + slowness[from][to]) * dice.mostlyNear(LATENCY_MICROS_MIN, LATENCY_MICROS_MAX);
  }
}
