package io.palinode.simulation.check;

import io.palinode.detector.binding.Version;

/** The order of a store's versions, written apart from the rules of the store. */
public interface VersionOrder {
  /** Whether {@code other} supersedes it or has the same name. */
  boolean isAtMost(Version one, Version other);

  /** Whether a delete with this mark covers it. */
  boolean isCovered(Version version, byte[] mark);
}
