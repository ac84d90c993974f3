package io.palinode.voldemort;

import io.palinode.detector.binding.Version;
import io.palinode.store.past.RecordRules;
import io.palinode.voldemort.protocol.Siblings;
import io.palinode.voldemort.protocol.VectorClock;
import io.palinode.voldemort.protocol.Versioned;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * Voldemort's records: siblings under vector clocks. A vector clock with its timestamp names a
 * write, and is the mark of a delete.
 */
public final class VoldemortRules implements RecordRules {
  public static final VoldemortRules INSTANCE = new VoldemortRules();

  private VoldemortRules() {}

  @Override
  public List<Version> versions(byte[] record) {
    return Siblings.decode(record).stream().map(VoldemortRules::version).toList();
  }

  @Override
  public byte[] record(List<Version> versions) {
    return Siblings.encode(versioned(versions));
  }

  @Override
  public List<Version> merge(List<Version> one, List<Version> other) {
    return Siblings.merge(versioned(one), versioned(other)).stream()
        .map(VoldemortRules::version)
        .toList();
  }

  @Override
  public boolean isCovered(Version version, byte[] mark) {
    return clock(version).isAtMost(VectorClock.readFrom(ByteBuffer.wrap(mark)));
  }

  @Override
  public byte[] name(Version version) {
    return clock(version).encode();
  }

  @Override
  public int length(ByteBuffer in, int at) {
    return VectorClock.encodedSize(in, at);
  }

  @Override
  public void forEachPlace(byte[] record, PlaceVisitor visitor) {
    Siblings.forEachPlace(record, visitor::visit);
  }

  /** A version as the detector knows it; {@link #versioned} is the inverse. */
  public static Version version(Versioned versioned) {
    VectorClock clock = versioned.clock();
    return new Version(
        versioned.value(), clock.identityBytes(), clock.timestampMs(), versioned.origin());
  }

  public static Versioned versioned(Version version) {
    return new Versioned(version.value(), clock(version), version.origin());
  }

  private static List<Versioned> versioned(List<Version> versions) {
    return versions.stream().map(VoldemortRules::versioned).toList();
  }

  private static VectorClock clock(Version version) {
    return VectorClock.readFrom(ByteBuffer.wrap(version.clock()))
        .withTimestamp(version.timestampMs());
  }
}
