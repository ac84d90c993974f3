package io.palinode.retroscope.snapshot;

import io.palinode.retroscope.snapshot.file.Entry;
import java.util.List;

/** Goes once through the records of a store whose keys have no order. For one thread. */
@FunctionalInterface
public interface Scan {
  /**
   * The next records: as many as have {@code bytesMax} bytes, one at least; empty behind the last.
   * Each key comes once. A key that changes meanwhile comes with a record that it had at some
   * moment, more than once, or not at all.
   */
  List<Entry> next(int bytesMax);
}
