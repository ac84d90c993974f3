package io.palinode.voldemort;

import io.palinode.voldemort.Deletes.Delete;
import io.palinode.voldemort.protocol.Siblings;
import io.palinode.voldemort.protocol.VectorClock;
import io.palinode.voldemort.protocol.Versioned;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What one node knows of one key in the time before a cut: since when it had which versions, also
 * those that it has no more, and which deletes it was the first to accept. Nodes exchange it,
 * because Voldemort keeps no tombstones and begins a key's clock anew after a delete: a version
 * that a delete covers can be told from one that was written after it only by the times when the
 * two were first accepted.
 *
 * <pre>
 * | version u8 = 1 | from i64
 * | versions i32 | per version: since i64, hash of the value i32, clock with timestamp
 * | deletes i32  | per delete: HLC i64, clock                                          |
 * | node i16     | who tells it; left out on disk, and by earlier releases             |
 * </pre>
 *
 * @param node who tells it; {@link #NOBODY}: not known
 * @param from versions that the node has and that are not in {@code since} were there at this time
 * @param since when a version was first there
 */
record KeyPast(int node, long from, Map<Id, Long> since, List<Delete> deletes) {
  static final int NOBODY = -1;

  private static final byte VERSION = 1;
  private static final int HEADER_BYTES = 1 + Long.BYTES + Integer.BYTES;

  /** Names one write: clocks come again after a delete, hardly so in the same millisecond. */
  record Id(KeyBytes clock, int valueHash) {
    static Id of(Versioned version) {
      return new Id(new KeyBytes(version.clock().encode()), Arrays.hashCode(version.value()));
    }
  }

  /** The bytes of a past that {@code node} tells others. */
  static byte[] toldBy(int node, byte[] past) {
    return ByteBuffer.allocate(past.length + Short.BYTES).put(past).putShort((short) node).array();
  }

  /** When the version came here; null when it was here before, or never. */
  @Nullable Long cameAt(Id id) {
    Long at = since.get(id);
    return at != null && at > from ? at : null;
  }

  /** The last time that it tells of. */
  long latest() {
    long latest = from;
    for (long at : since.values()) {
      latest = Math.max(latest, at);
    }
    for (Delete delete : deletes) {
      latest = Math.max(latest, delete.hlc());
    }
    return latest;
  }

  /** The bytes of a key that has not changed since {@code from}. */
  static byte[] unchanged(long from) {
    return new Builder(from).encode(null, List.of());
  }

  /**
   * Collects the past of a key from its changes, in order. Many keys are collected at once, so
   * versions are kept as few bytes: per version since i64, hash of the value i32, clock.
   */
  static final class Builder {
    private static final int FIXED_BYTES = Long.BYTES + Integer.BYTES;

    private final long from;
    private byte[] had = new byte[0];
    private int hadBytes;
    private long lastChange;

    Builder(long from) {
      this.from = from;
      this.lastChange = from;
    }

    /** The memory that it holds, without its objects. */
    int bytes() {
      return had.length;
    }

    /** At {@code hlc} the key stopped having this record, and has another since. */
    void changed(long hlc, byte @Nullable [] before) {
      had(before);
      lastChange = hlc;
    }

    /** The bytes of the past that was collected. */
    byte[] encode(byte @Nullable [] atTheCut, List<Delete> deletes) {
      had(atTheCut);
      int count = dropRepeats();
      List<byte[]> clocks = deletes.stream().map(delete -> delete.upTo().encode()).toList();
      int deleteBytes = clocks.stream().mapToInt(clock -> Long.BYTES + clock.length).sum();
      ByteBuffer out = ByteBuffer.allocate(HEADER_BYTES + hadBytes + Integer.BYTES + deleteBytes);
      out.put(VERSION).putLong(from).putInt(count).put(had, 0, hadBytes).putInt(deletes.size());
      for (int i = 0; i < clocks.size(); i++) {
        out.putLong(deletes.get(i).hlc()).put(clocks.get(i));
      }
      return out.array();
    }

    /** A version counts since it was there first. Returns how many there are. */
    private int dropRepeats() {
      ByteBuffer in = ByteBuffer.wrap(had);
      Set<KeyBytes> seen = new HashSet<>();
      int end = 0;
      int next;
      for (int at = 0; at < hadBytes; at = next) {
        int idAt = at + Long.BYTES;
        next = at + FIXED_BYTES + VectorClock.encodedSize(in, at + FIXED_BYTES);
        if (seen.add(new KeyBytes(Arrays.copyOfRange(had, idAt, next)))) {
          System.arraycopy(had, at, had, end, next - at);
          end += next - at;
        }
      }
      hadBytes = end;
      return seen.size();
    }

    private void had(byte @Nullable [] record) {
      if (record != null) {
        Siblings.forEachPlace(
            record,
            (clockAt, clockEnd, valueAt, valueEnd) ->
                add(record, clockAt, clockEnd, hash(record, valueAt, valueEnd)));
      }
    }

    private void add(byte[] record, int clockAt, int clockEnd, int valueHash) {
      int end = hadBytes + FIXED_BYTES + clockEnd - clockAt;
      if (end > had.length) {
        // Most keys have one version or two.
        had = Arrays.copyOf(had, end + hadBytes);
      }
      ByteBuffer.wrap(had, hadBytes, had.length - hadBytes)
          .putLong(lastChange)
          .putInt(valueHash)
          .put(record, clockAt, clockEnd - clockAt);
      hadBytes = end;
    }

    /** As {@link Arrays#hashCode(byte[])} of that part. */
    private static int hash(byte[] bytes, int from, int end) {
      int hash = 1;
      for (int i = from; i < end; i++) {
        hash = 31 * hash + bytes[i];
      }
      return hash;
    }
  }

  /** Throws {@link IllegalArgumentException} for another version. */
  static KeyPast decode(byte[] bytes) {
    ByteBuffer in = ByteBuffer.wrap(bytes);
    byte version = in.get();
    if (version != VERSION) {
      throw new IllegalArgumentException("the past of a key must be of version 1: " + version);
    }
    long from = in.getLong();
    Map<Id, Long> since = new LinkedHashMap<>();
    for (int left = in.getInt(); left > 0; left--) {
      long hlc = in.getLong();
      int valueHash = in.getInt();
      since.put(new Id(new KeyBytes(VectorClock.readFrom(in).encode()), valueHash), hlc);
    }
    List<Delete> deletes = new ArrayList<>();
    for (int left = in.getInt(); left > 0; left--) {
      deletes.add(new Delete(in.getLong(), VectorClock.readFrom(in)));
    }
    return new KeyPast(in.hasRemaining() ? in.getShort() : NOBODY, from, since, deletes);
  }
}
