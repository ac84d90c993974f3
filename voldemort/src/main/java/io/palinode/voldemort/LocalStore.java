package io.palinode.voldemort;

import io.palinode.retroscope.WindowLog;
import io.palinode.voldemort.cluster.Ring;
import org.jspecify.annotations.Nullable;

/** One store of a node, without its records: its placement and its past. */
record LocalStore(String name, Ring ring, WindowLog past, Deletes deletes) {

  boolean isHeldBy(int node, byte[] key) {
    return ring.preferenceList(key).contains(node);
  }

  /**
   * Logs the record that a change is about to replace. Call before the change: an entry without a
   * change is harmless, a change without an entry cannot be undone.
   */
  void log(long hlc, byte[] key, byte @Nullable [] old) {
    past.append(hlc, key, old);
    deletes.forgetUpTo(past.reach());
  }

  /** Ends the logs on disk in order. All records must be on the medium. */
  void close() {
    past.close();
    deletes.close();
  }
}
