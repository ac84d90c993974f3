package io.palinode.orchestrator.rest;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import io.palinode.hvc.Hlc;
import io.palinode.orchestrator.history.RollbackProgress;
import io.palinode.orchestrator.history.RollbackProgress.NodeSteps;
import io.palinode.orchestrator.plan.Rollback;
import io.palinode.wire.v1.AffectedClient;
import io.palinode.wire.v1.Concerned;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The JSON of one rollback and the progress of its nodes.
 *
 * @param byHand an operator requested it
 * @param undoneBy the rollback that reinstated its discarded writes; null: none
 * @param moves why its target moved
 * @param scope the writes after the target that are undone: {@code all} or {@code affected}
 * @param givenUp why no write was undone although some were to be; null: not so
 * @param keys how many were restored, of scope {@code affected}; null: not known yet
 * @param clients the clients concerned, of scope {@code affected}
 * @param before the HLC of the cut before the rollback; null: unknown
 */
public record OneRollbackView(
    @JsonUnwrapped Views.RollbackView rollback,
    boolean byHand,
    @Nullable String request,
    @Nullable Long undoneBy,
    @Nullable String reason,
    List<String> moves,
    String scope,
    @Nullable String givenUp,
    @Nullable Integer keys,
    @Nullable List<String> clients,
    @Nullable String before,
    List<NodeView> nodes) {
  private static final double MICROS_PER_MS = 1_000.0;

  /**
   * @param done the last step that the node has completed
   * @param pausedMs after the opening, as the next two; null: not yet
   */
  public record NodeView(
      int node,
      String done,
      @Nullable Double pausedMs,
      @Nullable Double restoredMs,
      @Nullable Double convergedMs,
      String reach,
      long undoneWrites,
      double undoMs,
      long convergedKeys) {
    static NodeView of(int node, NodeSteps steps, long openedMicros) {
      return new NodeView(
          node,
          steps.done().name().toLowerCase(Locale.ROOT),
          after(openedMicros, steps.micros().paused()),
          after(openedMicros, steps.micros().restored()),
          after(openedMicros, steps.micros().converged()),
          Hlc.format(steps.reach()),
          steps.undo().writes(),
          steps.undo().micros() / MICROS_PER_MS,
          steps.convergedKeys());
    }

    private static @Nullable Double after(long openedMicros, long atMicros) {
      return atMicros == 0 ? null : (atMicros - openedMicros) / MICROS_PER_MS;
    }
  }

  /** {@code progress} is null for an old rollback, {@code undoneBy} if no rollback undid it. */
  static OneRollbackView of(
      Rollback rollback, @Nullable RollbackProgress progress, @Nullable Long undoneBy) {
    Views.RollbackView whole = Views.RollbackView.of(rollback);
    if (progress == null) {
      return new OneRollbackView(
          whole, false, null, undoneBy, null, List.of(), "all", null, null, null, null, List.of());
    }
    Concerned concerned = progress.concerned();
    boolean byHand = progress.operator().isByHand();
    return new OneRollbackView(
        whole,
        byHand,
        byHand ? progress.operator().request() : null,
        undoneBy,
        progress.reason(),
        progress.moves(),
        progress.ofSome() ? "affected" : "all",
        progress.isGivenUp() && rollback.state() == Rollback.State.RESUMED
            ? String.join("; ", progress.moves())
            : null,
        concerned == null ? null : concerned.getKeys(),
        concerned == null
            ? null
            : concerned.getClientsList().stream().map(AffectedClient::getClient).sorted().toList(),
        progress.past() == 0 ? null : Hlc.format(progress.past()),
        progress.nodes().entrySet().stream()
            .map(
                (Map.Entry<Integer, NodeSteps> n) ->
                    NodeView.of(n.getKey(), n.getValue(), rollback.openedMicros()))
            .toList());
  }
}
