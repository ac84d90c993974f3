package io.palinode.voldemort;

import io.palinode.retroscope.WindowLog;
import io.palinode.voldemort.cluster.Ring;
import io.palinode.voldemort.protocol.Siblings;
import io.palinode.voldemort.protocol.Versioned;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What a node knows of one of its stores, beside the records. */
record LocalStore(String name, Ring ring, WindowLog past, Deletes deletes) {

  boolean isHeldBy(int node, byte[] key) {
    return ring.preferenceList(key).contains(node);
  }

  /** Ends what is on disk of its past in order: its records are on the medium. */
  void close() {
    past.close();
    deletes.close();
  }

  /** The versions in a record, none in an absent one. */
  static List<Versioned> versions(byte @Nullable [] record) {
    return record == null ? List.of() : Siblings.decode(record);
  }

  /** The record of some versions, null of none. */
  static byte @Nullable [] record(List<Versioned> versions) {
    return versions.isEmpty() ? null : Siblings.encode(versions);
  }
}
