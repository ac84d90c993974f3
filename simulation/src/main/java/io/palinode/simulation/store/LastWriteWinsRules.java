package io.palinode.simulation.store;

import io.palinode.detector.binding.Version;
import io.palinode.store.past.RecordRules;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

/**
 * Records of one version, of which the greatest stamp wins. A delete is a version without a value.
 *
 * <pre>
 * | stamp i64 | writer i16 | value |
 * </pre>
 */
final class LastWriteWinsRules implements RecordRules {
  static final int NAME_BYTES = Long.BYTES + Short.BYTES;

  static Version version(long stamp, int writer, byte[] value) {
    byte[] name = ByteBuffer.allocate(NAME_BYTES).putLong(stamp).putShort((short) writer).array();
    return new Version(value, name);
  }

  /** The version with the greater name. */
  static Version latest(Version one, Version other) {
    return Arrays.compareUnsigned(one.clock(), other.clock()) >= 0 ? one : other;
  }

  @Override
  public List<Version> versions(byte[] record) {
    if (record.length == 0) {
      return List.of();
    }
    byte[] name = Arrays.copyOf(record, NAME_BYTES);
    return List.of(new Version(Arrays.copyOfRange(record, NAME_BYTES, record.length), name));
  }

  @Override
  public byte[] record(List<Version> versions) {
    return versions.stream()
        .reduce(LastWriteWinsRules::latest)
        .map(LastWriteWinsRules::record)
        .orElseGet(() -> new byte[0]);
  }

  private static byte[] record(Version version) {
    return ByteBuffer.allocate(NAME_BYTES + version.value().length)
        .put(version.clock())
        .put(version.value())
        .array();
  }

  @Override
  public List<Version> merge(List<Version> one, List<Version> other) {
    return Stream.concat(one.stream(), other.stream())
        .reduce(LastWriteWinsRules::latest)
        .map(List::of)
        .orElse(List.of());
  }

  @Override
  public boolean isCovered(Version version, byte[] mark) {
    return Arrays.compareUnsigned(version.clock(), mark) <= 0;
  }

  @Override
  public byte[] name(Version version) {
    return version.clock();
  }

  @Override
  public int length(ByteBuffer in, int at) {
    return NAME_BYTES;
  }

  @Override
  public void forEachPlace(byte[] record, PlaceVisitor visitor) {
    if (record.length > 0) {
      visitor.visit(0, NAME_BYTES, NAME_BYTES, record.length);
    }
  }
}
