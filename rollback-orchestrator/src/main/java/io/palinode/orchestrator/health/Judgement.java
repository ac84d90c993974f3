package io.palinode.orchestrator.health;

import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

/**
 * All that judgement of the present waits for, at one time. Immutable. The only source for {@code
 * status}, the API, metrics and alerts.
 *
 * @param waits oldest first
 * @param epochJudged whether an HLC of the epoch in force was judged
 * @param unjudgedSinceMicros since when the epoch waits for its first judgement, wall clock
 * @param publishedMicros when the detection job published its latest record; 0: never
 * @param atMicros now, wall clock
 */
public record Judgement(
    List<Wait> waits,
    boolean epochJudged,
    long unjudgedSinceMicros,
    long publishedMicros,
    long atMicros) {

  public Judgement {
    waits = List.copyOf(waits);
  }

  /** The waits that stand still. */
  public Stream<Wait> standing() {
    return waits.stream().filter(wait -> wait.standsStill(atMicros));
  }

  /**
   * How long the longest wait of this reason has lasted, in microseconds; 0: none.
   *
   * @param node of a reason about one node; else ignored
   */
  public long micros(Wait.Reason reason, int node) {
    return waits.stream()
        .filter(wait -> wait.reason() == reason)
        .filter(wait -> !reason.isOfNode() || Objects.equals(wait.node(), node))
        .mapToLong(wait -> wait.micros(atMicros))
        .max()
        .orElse(0);
  }
}
