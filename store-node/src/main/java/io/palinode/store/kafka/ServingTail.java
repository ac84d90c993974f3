package io.palinode.store.kafka;

import io.palinode.wire.v1.ControlRecord;
import io.palinode.wire.v1.Paused;
import java.util.HashMap;
import java.util.Map;

/**
 * Passes on to a node which other nodes serve in the incarnation that was paused. One that
 * restarted in a plan may have lost what it restored.
 */
final class ServingTail implements ControlListener {
  private final int node;
  private final Listener listener;

  /** By node, in the plan of {@link #epoch}. */
  private final Map<Integer, Long> paused = new HashMap<>();

  private long epoch;

  /** See {@link io.palinode.store.binding.Serving#served}. */
  @FunctionalInterface
  interface Listener {
    void served(int node, long epoch);
  }

  ServingTail(int node, Listener listener) {
    this.node = node;
    this.listener = listener;
  }

  @Override
  public void onStep(ControlRecord step) {
    if (step.hasPaused()) {
      if (step.getEpoch() > epoch) {
        epoch = step.getEpoch();
        paused.clear();
      }
      Paused record = step.getPaused();
      paused.putIfAbsent(record.getNode(), record.getIncarnation());
    } else if (step.hasServing() && step.getEpoch() == epoch) {
      Long first = paused.get(step.getServing().getNode());
      if (first != null
          && first == step.getServing().getIncarnation()
          && step.getServing().getNode() != node) {
        listener.served(step.getServing().getNode(), epoch);
      }
    }
  }

  @Override
  public void onCaughtUp() {}
}
