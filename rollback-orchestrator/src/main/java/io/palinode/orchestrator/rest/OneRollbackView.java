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
 * The JSON of one rollback, with how far each node is.
 *
 * @param byHand an operator asked for it
 * @param undoes the rollback whose discarded writes it brings back; null: none
 * @param moves why its target moved
 * @param scope what of the writes after the target is undone, {@code all} or {@code affected}
 * @param givenUp only some was to be undone, and nothing was, and why; null: not so
 * @param keys how many went back, of scope {@code affected}; null: not known yet
 * @param clients whom that concerns, likewise
 * @param before the store as it was before it is the cut at this HLC; null: not known
 */
record OneRollbackView(
    @JsonUnwrapped Views.RollbackView rollback,
    boolean byHand,
    @Nullable String request,
    @Nullable Long undoes,
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
   * @param done the last step that the node has done
   * @param pausedMs after the opening; the others likewise; null: not yet
   */
  record NodeView(
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
          after(openedMicros, steps.pausedMicros()),
          after(openedMicros, steps.restoredMicros()),
          after(openedMicros, steps.convergedMicros()),
          Hlc.format(steps.reach()),
          steps.undoneWrites(),
          steps.undoMicros() / MICROS_PER_MS,
          steps.convergedKeys());
    }

    private static @Nullable Double after(long openedMicros, long atMicros) {
      return atMicros == 0 ? null : (atMicros - openedMicros) / MICROS_PER_MS;
    }
  }

  /** {@code progress} is null when the rollback is too old. */
  static OneRollbackView of(Rollback rollback, @Nullable RollbackProgress progress) {
    Views.RollbackView whole = Views.RollbackView.of(rollback);
    if (progress == null) {
      return new OneRollbackView(
          whole, false, null, null, null, List.of(), "all", null, null, null, null, List.of());
    }
    Concerned concerned = progress.concerned();
    boolean byHand = progress.operator().isByHand();
    long undoes = progress.operator().undoes();
    return new OneRollbackView(
        whole,
        byHand,
        byHand ? progress.operator().request() : null,
        undoes == 0 ? null : undoes,
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
