package io.palinode.simulation.store;

import io.palinode.detector.binding.Version;

/** What a client asks of one key. */
public sealed interface Operation {
  String key();

  /**
   * @param origins whether the versions are to name the node that accepted them first
   * @param unchecked whether the node answers for a key that it does not hold
   */
  record Get(String key, boolean origins, boolean unchecked) implements Operation {}

  record Put(String key, Version version) implements Operation {}

  /**
   * @param upTo the mark of the versions that it covers, in the store's own bytes
   */
  record Delete(String key, byte[] upTo) implements Operation {}
}
