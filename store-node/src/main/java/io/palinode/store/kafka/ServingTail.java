package io.palinode.store.kafka;

import io.palinode.store.binding.Serving;
import io.palinode.wire.v1.ControlRecord;

/** Passes on to a node which other nodes serve. */
record ServingTail(int node, Serving store) implements ControlListener {
  @Override
  public void onStep(ControlRecord step) {
    if (step.hasServing() && step.getServing().getNode() != node) {
      store.served(step.getServing().getNode(), step.getEpoch());
    }
  }

  @Override
  public void onCaughtUp() {}
}
