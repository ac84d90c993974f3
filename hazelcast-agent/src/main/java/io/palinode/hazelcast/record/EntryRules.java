package io.palinode.hazelcast.record;

import io.palinode.detector.binding.Version;
import io.palinode.store.past.RecordRules;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Records of one version: the value that a map holds. A removal leaves no record.
 *
 * <pre>
 * | version u8 = 2 | name ({@link EntryName}) | value |
 * </pre>
 *
 * <p>A member names each write itself, so the replicas of an entry have different names.
 */
public final class EntryRules implements RecordRules {
  private static final byte VERSION = 2;
  private static final int NAME_AT = 1;
  private static final int VALUE_AT = NAME_AT + EntryName.BYTES;

  private static final Comparator<Version> ORDER =
      Comparator.<Version>comparingLong(version -> nameOf(version).stamp())
          .thenComparing(Version::clock, Arrays::compareUnsigned)
          .thenComparing(Version::value, Arrays::compareUnsigned);

  /** Its first acceptor is unknown. */
  private static Version version(EntryName name, byte[] value) {
    return new Version(value, name.encode(), name.millis(), null);
  }

  /** The record of one version. */
  public static byte[] record(EntryName name, byte[] value) {
    ByteBuffer out = ByteBuffer.allocate(VALUE_AT + value.length).put(VERSION);
    name.write(out);
    return out.put(value).array();
  }

  /** The name of a version of these rules. */
  public static EntryName nameOf(Version version) {
    return EntryName.read(ByteBuffer.wrap(version.clock()), 0);
  }

  /** The name in a record that is not empty. */
  public static EntryName nameOf(byte[] record) {
    return EntryName.read(ByteBuffer.wrap(required(record)), NAME_AT);
  }

  /** The value in a record that is not empty. */
  public static EntryValue valueOf(byte[] record) {
    return new EntryValue(
        Arrays.copyOfRange(record, VALUE_AT, record.length), nameOf(record).form());
  }

  /** Whether two records have one value and form; null is an absent entry. */
  public static boolean isSame(byte @Nullable [] one, byte @Nullable [] other) {
    if (one == null || other == null) {
      return one == other;
    }
    return nameOf(one).form().equals(nameOf(other).form())
        && Arrays.equals(one, VALUE_AT, one.length, other, VALUE_AT, other.length);
  }

  private static byte[] required(byte[] record) {
    if (record.length < VALUE_AT || record[0] != VERSION) {
      throw new IllegalArgumentException(
          "an entry's record must be of version %d and have %d bytes: %s"
              .formatted(VERSION, VALUE_AT, Arrays.toString(record)));
    }
    return record;
  }

  @Override
  public List<Version> versions(byte[] record) {
    return record.length == 0
        ? List.of()
        : List.of(version(nameOf(record), Arrays.copyOfRange(record, VALUE_AT, record.length)));
  }

  @Override
  public byte[] record(List<Version> versions) {
    return versions.isEmpty() ? new byte[0] : record(Collections.max(versions, ORDER));
  }

  private static byte[] record(Version version) {
    return ByteBuffer.allocate(VALUE_AT + version.value().length)
        .put(VERSION)
        .put(version.clock())
        .put(version.value())
        .array();
  }

  @Override
  public List<Version> merge(List<Version> one, List<Version> other) {
    return Stream.concat(one.stream(), other.stream()).max(ORDER).map(List::of).orElse(List.of());
  }

  /** {@inheritDoc} No delete is listed: no node gets the versions of another one. */
  @Override
  public boolean isCovered(Version version, byte[] mark) {
    return false;
  }

  @Override
  public byte[] name(Version version) {
    return version.clock();
  }

  @Override
  public int length(ByteBuffer in, int at) {
    return EntryName.BYTES;
  }

  @Override
  public void forEachPlace(byte[] record, PlaceVisitor visitor) {
    if (record.length > 0) {
      visitor.visit(NAME_AT, VALUE_AT, VALUE_AT, record.length);
    }
  }
}
