package io.palinode.monitor.instance;

import io.palinode.wire.CandidateRecords;

/** Names a predicate instance; the inverse of {@link CandidateRecords#instanceKey}. */
public record InstanceKey(String predicate, String binding) {

  /**
   * Splits the key at the first bar; a predicate's name holds no bar. Throws {@link
   * IllegalArgumentException} for a key without a bar.
   */
  public static InstanceKey parse(String key) {
    int bar = key.indexOf('|');
    if (bar < 0) {
      throw new IllegalArgumentException(
          "an instance key must be <predicate>|<binding>: '" + key + "'");
    }
    return new InstanceKey(key.substring(0, bar), key.substring(bar + 1));
  }

  @Override
  public String toString() {
    return CandidateRecords.instanceKey(predicate, binding);
  }
}
