package io.palinode.voldemort.protocol;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The versions of one key of which none supersedes another: the rules by which they change, and the
 * bytes of a stored record. Pure; O(k²) in the number of versions, which is small.
 *
 * <pre>
 * +------------+--------------------------------------------------------------------------------+
 * | format     | for each version: clock ({@link VectorClock}), origin: i16, length: i32, value |
 * | u8 = 1     |                                                                                |
 * +------------+--------------------------------------------------------------------------------+
 * </pre>
 *
 * The origin is the node that accepted the version first, -1 when unknown. Records of format 0,
 * which have none, are read too.
 *
 * <p>No versions at all are no bytes at all: an absent key. A stock node never stores that.
 */
public final class Siblings {
  private static final byte FORMAT = 1;
  private static final byte WITHOUT_ORIGIN = 0;
  private static final short ORIGIN_UNKNOWN = -1;

  /**
   * The order that decides between concurrent versions, greatest first: newest timestamp, then
   * greatest value bytes, then greatest clock bytes. Total, up to equality.
   */
  private static final Comparator<Versioned> WINNER_FIRST =
      Comparator.comparingLong((Versioned v) -> v.clock().timestampMs())
          .thenComparing(Versioned::value, Arrays::compareUnsigned)
          .thenComparing(v -> v.clock().identityBytes(), Arrays::compareUnsigned)
          .reversed();

  private Siblings() {}

  public static byte[] encode(List<Versioned> versions) {
    if (versions.isEmpty()) {
      return new byte[0];
    }
    int size = 1;
    for (Versioned version : versions) {
      int fixed = version.clock().encodedSize() + Short.BYTES + Integer.BYTES;
      size = Math.addExact(size, fixed + version.value().length);
    }
    ByteBuffer out = ByteBuffer.allocate(size);
    out.put(FORMAT);
    for (Versioned version : versions) {
      version.clock().writeTo(out);
      Integer origin = version.origin();
      out.putShort(origin == null ? ORIGIN_UNKNOWN : origin.shortValue());
      out.putInt(version.value().length);
      out.put(version.value());
    }
    return out.array();
  }

  /** Throws {@link IllegalArgumentException} for bytes that {@link #encode} did not make. */
  public static List<Versioned> decode(byte[] record) {
    if (record.length == 0) {
      return List.of();
    }
    ByteBuffer in = ByteBuffer.wrap(record);
    byte format = in.get();
    if (format != FORMAT && format != WITHOUT_ORIGIN) {
      throw new IllegalArgumentException("a record must be of format 0 or 1: format=" + format);
    }
    List<Versioned> versions = new ArrayList<>(1);
    while (in.hasRemaining()) {
      VectorClock clock = VectorClock.readFrom(in);
      Integer origin = format == FORMAT ? readOrigin(in) : null;
      versions.add(new Versioned(readValue(in), clock, origin));
    }
    return List.copyOf(versions);
  }

  /**
   * Visits the versions of a record without decoding them. Throws {@link IllegalArgumentException}
   * for another format, and {@link IndexOutOfBoundsException} for a record that is cut off.
   */
  public static void forEachPlace(byte[] record, PlaceVisitor visitor) {
    if (record.length == 0) {
      return;
    }
    if (record[0] != FORMAT && record[0] != WITHOUT_ORIGIN) {
      throw new IllegalArgumentException("a record must be of format 0 or 1: format=" + record[0]);
    }
    ByteBuffer in = ByteBuffer.wrap(record);
    int originBytes = record[0] == FORMAT ? Short.BYTES : 0;
    for (int at = 1; at < record.length; ) {
      int clockEnd = at + VectorClock.encodedSize(in, at);
      int valueAt = clockEnd + originBytes + Integer.BYTES;
      int valueEnd = valueAt + in.getInt(valueAt - Integer.BYTES);
      visitor.visit(at, clockEnd, valueAt, valueEnd);
      at = valueEnd;
    }
  }

  /** Where one version lies in its record. */
  @FunctionalInterface
  public interface PlaceVisitor {
    /** An end is where the next byte would be. */
    void visit(int clockAt, int clockEnd, int valueAt, int valueEnd);
  }

  private static @Nullable Integer readOrigin(ByteBuffer in) {
    try {
      short origin = in.getShort();
      return origin < 0 ? null : Integer.valueOf(origin);
    } catch (BufferUnderflowException e) {
      throw new IllegalArgumentException("a record is cut off: bytes=" + in.limit(), e);
    }
  }

  private static byte[] readValue(ByteBuffer in) {
    try {
      int length = in.getInt();
      if (length < 0 || length > in.remaining()) {
        throw new IllegalArgumentException(
            "a value must end with its record: length=" + length + " left=" + in.remaining());
      }
      byte[] value = new byte[length];
      in.get(value);
      return value;
    } catch (BufferUnderflowException e) {
      throw new IllegalArgumentException("a record is cut off: bytes=" + in.limit(), e);
    }
  }

  /**
   * What is stored after a put: the new version and those concurrent with it. Null when a stored
   * version is newer or equal, so the put is obsolete.
   */
  public static @Nullable List<Versioned> put(List<Versioned> stored, Versioned added) {
    List<Versioned> left = new ArrayList<>(stored.size() + 1);
    for (Versioned version : stored) {
      switch (version.clock().compare(added.clock())) {
        case AFTER, EQUAL -> {
          return null;
        }
        case CONCURRENT -> left.add(version);
        case BEFORE -> {}
      }
    }
    left.add(added);
    return List.copyOf(left);
  }

  /**
   * What is stored after a delete: the versions not at or before {@code clock}. As many as before:
   * nothing was deleted.
   */
  public static List<Versioned> delete(List<Versioned> stored, VectorClock clock) {
    List<Versioned> left = new ArrayList<>(stored.size());
    for (Versioned version : stored) {
      if (!version.clock().isAtMost(clock)) {
        left.add(version);
      }
    }
    return List.copyOf(left);
  }

  /**
   * The versions of both that no other supersedes, each once, in one order whatever the order of
   * the arguments: the first is the one that {@link #resolve} takes.
   */
  public static List<Versioned> merge(List<Versioned> a, List<Versioned> b) {
    List<Versioned> all = new ArrayList<>(a.size() + b.size());
    all.addAll(a);
    all.addAll(b);
    return maximal(all);
  }

  /**
   * The one version that a reader takes: newest by vector clock, then the newest timestamp, then
   * the greatest value bytes. Null when there is none.
   */
  public static @Nullable Versioned resolve(List<Versioned> versions) {
    if (versions.size() == 1) {
      return versions.get(0);
    }
    List<Versioned> maximal = maximal(versions);
    return maximal.isEmpty() ? null : maximal.get(0);
  }

  /** The versions that no other supersedes, of several with an equal clock the first in order. */
  private static List<Versioned> maximal(List<Versioned> versions) {
    List<Versioned> ordered = new ArrayList<>(versions);
    ordered.sort(WINNER_FIRST);
    List<Versioned> maximal = new ArrayList<>(ordered.size());
    for (int i = 0; i < ordered.size(); i++) {
      if (!isSuperseded(ordered, i)) {
        maximal.add(ordered.get(i));
      }
    }
    return List.copyOf(maximal);
  }

  private static boolean isSuperseded(List<Versioned> ordered, int at) {
    VectorClock clock = ordered.get(at).clock();
    for (int i = 0; i < ordered.size(); i++) {
      VectorClock.Relation relation = clock.compare(ordered.get(i).clock());
      if (relation == VectorClock.Relation.BEFORE
          || (relation == VectorClock.Relation.EQUAL && i < at)) {
        return true;
      }
    }
    return false;
  }
}
