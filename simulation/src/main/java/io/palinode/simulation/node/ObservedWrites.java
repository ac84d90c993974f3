package io.palinode.simulation.node;

import io.palinode.detector.LocalDetector;
import io.palinode.detector.binding.StaleRead;
import io.palinode.detector.binding.StoreKey;
import io.palinode.detector.binding.WriteEvent;
import io.palinode.detector.binding.WriteFeed.WriteListener;

/** Passes a store's writes to the detector and to the checks. */
record ObservedWrites(LocalDetector detector, WatchedIntervals intervals) implements WriteListener {
  @Override
  public boolean watches(StoreKey key) {
    return detector.watches(key);
  }

  @Override
  public void written(WriteEvent event) {
    detector.written(event);
    intervals.observed(event);
  }

  @Override
  public void readStale(StaleRead read) {
    detector.readStale(read);
  }

  @Override
  public void missedWrite() {
    detector.missedWrite();
  }
}
