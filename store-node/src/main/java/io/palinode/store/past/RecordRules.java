package io.palinode.store.past;

import io.palinode.detector.binding.Version;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * The versions in the stored records of one kind of store: their names, merge and deletes.
 *
 * <p>A name identifies one write on all replicas. A mark says which versions a delete covers. Both
 * are bytes that show where they end. Implementations are pure and thread-safe. Each method throws
 * {@link IllegalArgumentException} for bytes that the store did not write.
 */
public interface RecordRules {
  /** The versions in a record; none in an empty one. */
  List<Version> versions(byte[] record);

  /** The record of these versions; empty if there are none. Equal lists have equal bytes. */
  byte[] record(List<Version> versions);

  /**
   * The versions of both lists that no other version supersedes, each once. The result does not
   * depend on the order of the arguments.
   */
  List<Version> merge(List<Version> one, List<Version> other);

  /** Whether the delete with this mark covers the version, if it came after the version. */
  boolean isCovered(Version version, byte[] mark);

  byte[] name(Version version);

  /** The length of the name or mark that begins at {@code at}. */
  int length(ByteBuffer in, int at);

  /** Visits the versions of a record in order, without a decode. */
  void forEachPlace(byte[] record, PlaceVisitor visitor);

  /** The place of one version in its record. */
  @FunctionalInterface
  interface PlaceVisitor {
    /** An end is where the next byte would be. */
    void visit(int nameAt, int nameEnd, int valueAt, int valueEnd);
  }
}
