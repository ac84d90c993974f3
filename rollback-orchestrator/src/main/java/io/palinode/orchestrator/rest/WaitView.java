package io.palinode.orchestrator.rest;

import io.palinode.orchestrator.health.Judgement;
import io.palinode.orchestrator.health.Wait;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * All that judgement of the present waits for, in JSON.
 *
 * @param reason such as {@code node}, {@code disk}, {@code job}, {@code kafka}
 * @param node null: no single node
 * @param standsStill whether it lasts longer than a wait should
 */
public record WaitView(
    String reason,
    @Nullable Integer node,
    long sinceMicros,
    double forMs,
    boolean standsStill,
    String what,
    String wayOut) {
  private static final double MICROS_PER_MS = 1_000.0;

  static List<WaitView> of(Judgement judgement) {
    long now = judgement.atMicros();
    return judgement.waits().stream().map(wait -> of(wait, now)).toList();
  }

  static WaitView of(Wait wait, long nowMicros) {
    return new WaitView(
        wait.reason().label(),
        wait.node(),
        wait.sinceMicros(),
        wait.micros(nowMicros) / MICROS_PER_MS,
        wait.standsStill(nowMicros),
        wait.what(),
        wait.wayOut());
  }
}
