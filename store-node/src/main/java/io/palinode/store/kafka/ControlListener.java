package io.palinode.store.kafka;

import io.palinode.wire.v1.ControlRecord;

/** Receives the records of a node's control log, in order and in one thread. */
interface ControlListener {
  void onStep(ControlRecord step);

  /** Once: all that was in the log at the start was handed over. */
  void onCaughtUp();
}
