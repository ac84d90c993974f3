package io.palinode.simulation.environment;

import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * What happens in a run, a line an event:
 *
 * <pre>
 *   0.012345  node1   put         cs_0_1_0=1 epoch=0 hlc=1700000000012345
 *   seconds   who     what        more
 * </pre>
 */
public final class Trace {
  private final Consumer<String> lines;
  private final VirtualTime time;
  private final boolean wanted;

  private Trace(VirtualTime time, Consumer<String> lines, boolean wanted) {
    this.time = time;
    this.lines = lines;
    this.wanted = wanted;
  }

  public static Trace of(VirtualTime time, Consumer<String> lines) {
    return new Trace(time, lines, true);
  }

  /** Costs nothing: no line is made. */
  public static Trace none(VirtualTime time) {
    return new Trace(time, line -> {}, false);
  }

  public void add(String who, String what, Supplier<String> more) {
    if (wanted) {
      lines.accept(
          "%10.6f  %-8s %-12s %s"
              .formatted(time.nowMicros() / 1e6, who, what, more.get())
              .stripTrailing());
    }
  }
}
