package io.palinode.simulation.store;

import io.palinode.detector.binding.Version;
import io.palinode.voldemort.client.session.SessionReads.Stale;
import org.jspecify.annotations.Nullable;

/** What a client asks of one key. */
public sealed interface Operation {
  String key();

  /**
   * @param origins whether the versions are to name the node that accepted them first
   * @param unchecked whether the node answers for a key that it does not hold
   */
  record Get(String key, boolean origins, boolean unchecked) implements Operation {}

  /**
   * @param seen what the writer states that it has seen of the key; null: nothing
   */
  record Put(String key, Version version, @Nullable SeenByWriter seen) implements Operation {
    /** Of a writer that states nothing. */
    public Put(String key, Version version) {
      this(key, version, null);
    }
  }

  /**
   * @param upTo the mark of the versions that it covers, in the store's own bytes
   */
  record Delete(String key, byte[] upTo) implements Operation {}

  /** States that the node has returned an old version of the key. */
  record StaleRead(String key, Stale stale) implements Operation {}
}
