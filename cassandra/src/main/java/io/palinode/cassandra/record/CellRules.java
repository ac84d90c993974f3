package io.palinode.cassandra.record;

import io.palinode.detector.binding.Version;
import io.palinode.store.past.RecordRules;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

/**
 * Records of one version: the greatest {@link CellRecord}. A delete is a version too, so a rollback
 * decides by timestamps alone, as Cassandra does.
 *
 * <p>The name of a version is its timestamp. Its value is the rest of its record, so not the value
 * that a predicate compares.
 */
public final class CellRules implements RecordRules {
  @Override
  public List<Version> versions(byte[] record) {
    return record.length == 0 ? List.of() : List.of(version(CellRecord.decode(record)));
  }

  private static Version version(CellRecord cell) {
    byte[] bytes = cell.encode();
    return new Version(
        Arrays.copyOfRange(bytes, CellRecord.BODY_AT, bytes.length),
        Arrays.copyOfRange(bytes, CellRecord.TIMESTAMP_AT, CellRecord.BODY_AT));
  }

  private static CellRecord cell(Version version) {
    return CellRecord.decode(bytes(version));
  }

  /** The record of one version of these rules. */
  public static byte[] bytes(Version version) {
    return ByteBuffer.allocate(CellRecord.BODY_AT + version.value().length)
        .put(CellRecord.VERSION)
        .put(version.clock())
        .put(version.value())
        .array();
  }

  @Override
  public byte[] record(List<Version> versions) {
    return versions.stream()
        .map(CellRules::cell)
        .max(CellRecord.ORDER)
        .map(CellRecord::encode)
        .orElseGet(() -> new byte[0]);
  }

  @Override
  public List<Version> merge(List<Version> one, List<Version> other) {
    return Stream.concat(one.stream(), other.stream())
        .map(CellRules::cell)
        .max(CellRecord.ORDER)
        .map(cell -> List.of(version(cell)))
        .orElse(List.of());
  }

  /** {@inheritDoc} Deletes are versions, so there are no marks. */
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
    return Long.BYTES;
  }

  @Override
  public void forEachPlace(byte[] record, PlaceVisitor visitor) {
    if (record.length > 0) {
      visitor.visit(CellRecord.TIMESTAMP_AT, CellRecord.BODY_AT, CellRecord.BODY_AT, record.length);
    }
  }
}
