package io.palinode.store.past;

import io.palinode.detector.binding.Version;
import io.palinode.retroscope.WindowLog;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** One store of a node, without its records: its rules and its past. */
public record LocalStore(StoreSpec spec, WindowLog past, Deletes deletes) {
  public String name() {
    return spec.name();
  }

  public RecordRules rules() {
    return spec.rules();
  }

  /** The replicas of a key, the preferred one first. */
  public List<Integer> replicas(byte[] key) {
    return spec.placement().replicas(key);
  }

  /** The versions in a record; none in an absent one. */
  public List<Version> versions(byte @Nullable [] record) {
    return record == null ? List.of() : rules().versions(record);
  }

  /** The record of some versions; null if there are none. */
  public byte @Nullable [] record(List<Version> versions) {
    return versions.isEmpty() ? null : rules().record(versions);
  }

  public boolean isHeldBy(int node, byte[] key) {
    return replicas(key).contains(node);
  }

  /**
   * Logs the record that a change is about to replace. Call before the change: an entry without a
   * change is harmless, a change without an entry cannot be undone.
   */
  public void log(long hlc, byte[] key, byte @Nullable [] old) {
    past.append(hlc, key, old);
    deletes.forgetUpTo(past.reach());
  }

  /** Ends the logs on disk in order. All records must be on the medium. */
  void close() {
    past.close();
    deletes.close();
  }
}
