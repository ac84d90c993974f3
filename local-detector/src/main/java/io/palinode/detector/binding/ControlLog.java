package io.palinode.detector.binding;

import io.palinode.wire.v1.ControlRecord;
import java.util.List;

/** Where a node publishes its side of a plan. */
@FunctionalInterface
public interface ControlLog {
  /**
   * Returns when the records are in the log, in this order. Throws when it is not known whether all
   * of them are; a repeat is allowed.
   */
  void append(List<ControlRecord> records);
}
