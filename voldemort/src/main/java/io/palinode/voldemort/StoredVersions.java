package io.palinode.voldemort;

import io.palinode.detector.binding.Version;
import io.palinode.voldemort.protocol.Siblings;
import io.palinode.voldemort.protocol.Versioned;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The versions in stored records, and their form for the detector. */
final class StoredVersions {
  private StoredVersions() {}

  /** The versions in a record; none in an absent one. */
  static List<Versioned> in(byte @Nullable [] record) {
    return record == null ? List.of() : Siblings.decode(record);
  }

  /** The record of some versions; null if there are none. */
  static byte @Nullable [] record(List<Versioned> versions) {
    return versions.isEmpty() ? null : Siblings.encode(versions);
  }

  static List<Version> of(List<Versioned> siblings) {
    List<Version> versions = new ArrayList<>(siblings.size());
    for (Versioned sibling : siblings) {
      versions.add(of(sibling));
    }
    return versions;
  }

  static Version of(Versioned versioned) {
    return VoldemortRules.version(versioned);
  }
}
