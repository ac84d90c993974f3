package io.palinode.simulation;

import io.palinode.detector.LocalDetector;
import io.palinode.detector.binding.StoreKey;
import io.palinode.detector.binding.WriteEvent;
import io.palinode.detector.binding.WriteFeed.WriteListener;

/** A detector that hears a store's writes, and the checks that hear them too. */
record HeardWrites(LocalDetector detector, WatchedIntervals intervals) implements WriteListener {
  @Override
  public boolean watches(StoreKey key) {
    return detector.watches(key);
  }

  @Override
  public void written(WriteEvent event) {
    detector.written(event);
    intervals.heard(event);
  }

  @Override
  public void missedWrite() {
    detector.missedWrite();
  }
}
