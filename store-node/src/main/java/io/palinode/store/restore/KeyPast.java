package io.palinode.store.restore;

import io.palinode.detector.binding.Version;
import io.palinode.store.engine.KeyBytes;
import io.palinode.store.past.Deletes.Delete;
import io.palinode.store.past.RecordRules;
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
 * The past of one key on one node, before a cut: its versions with their times, and the deletes
 * that the node accepted first. Nodes exchange it, because a store need not keep tombstones, and
 * may give a name again after a delete. Only the times of first acceptance separate a version that
 * a delete covers from one written after that delete.
 *
 * <pre>
 * | version u8 = 1 | from i64
 * | versions i32 | per version: since i64, hash of the value i32, name ({@link RecordRules})
 * | deletes i32  | per delete: HLC i64, mark                                           |
 * | node i16     | the contributor; absent on disk and in earlier releases             |
 * </pre>
 *
 * @param node the contributor; {@link #UNKNOWN} if not known
 * @param from when the node's versions outside of {@code since} were already there
 * @param since when a version was there first
 */
public record KeyPast(int node, long from, Map<Id, Long> since, List<Delete> deletes) {
  public static final int UNKNOWN = -1;

  private static final byte VERSION = 1;
  private static final int HEADER_BYTES = 1 + Long.BYTES + Integer.BYTES;

  /** Identifies one write. A name can repeat after a delete, but rarely with the same value. */
  public record Id(KeyBytes name, int valueHash) {
    public static Id of(RecordRules rules, Version version) {
      return new Id(new KeyBytes(rules.name(version)), Arrays.hashCode(version.value()));
    }
  }

  /** The bytes of a past that {@code node} contributes. */
  public static byte[] contributedBy(int node, byte[] past) {
    return ByteBuffer.allocate(past.length + Short.BYTES).put(past).putShort((short) node).array();
  }

  /** When the version arrived here; null if it was here before {@link #from}, or never. */
  @Nullable Long cameAt(Id id) {
    Long at = since.get(id);
    return at != null && at > from ? at : null;
  }

  /** The latest time in it. */
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
  public static byte[] unchanged(long from) {
    return ByteBuffer.allocate(HEADER_BYTES + Integer.BYTES).put(VERSION).putLong(from).array();
  }

  /**
   * Collects the past of a key from its changes, in order. Holds few bytes per version: since i64,
   * hash of the value i32, name.
   */
  public static final class Builder {
    private static final int FIXED_BYTES = Long.BYTES + Integer.BYTES;

    private final RecordRules rules;
    private final long from;
    private byte[] had = new byte[0];
    private int hadBytes;
    private long lastChange;

    public Builder(RecordRules rules, long from) {
      this.rules = rules;
      this.from = from;
      this.lastChange = from;
    }

    /** Bytes held, without objects. */
    int bytes() {
      return had.length;
    }

    /** At {@code hlc} a change replaced this record. */
    public void changed(long hlc, byte @Nullable [] before) {
      had(before);
      lastChange = hlc;
    }

    /** The bytes of the collected past. */
    public byte[] encode(byte @Nullable [] atTheCut, List<Delete> deletes) {
      had(atTheCut);
      int count = dropRepeats();
      int deleteBytes =
          deletes.stream().mapToInt(each -> Long.BYTES + each.mark().bytes().length).sum();
      ByteBuffer out = ByteBuffer.allocate(HEADER_BYTES + hadBytes + Integer.BYTES + deleteBytes);
      out.put(VERSION).putLong(from).putInt(count).put(had, 0, hadBytes).putInt(deletes.size());
      for (Delete delete : deletes) {
        out.putLong(delete.hlc()).put(delete.mark().bytes());
      }
      return out.array();
    }

    /** Keeps the first entry of each version. Returns the number of versions. */
    private int dropRepeats() {
      ByteBuffer in = ByteBuffer.wrap(had);
      Set<KeyBytes> seen = new HashSet<>();
      int end = 0;
      int next;
      for (int at = 0; at < hadBytes; at = next) {
        int idAt = at + Long.BYTES;
        next = at + FIXED_BYTES + rules.length(in, at + FIXED_BYTES);
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
        rules.forEachPlace(
            record,
            (nameAt, nameEnd, valueAt, valueEnd) ->
                add(record, nameAt, nameEnd, hash(record, valueAt, valueEnd)));
      }
    }

    private void add(byte[] record, int nameAt, int nameEnd, int valueHash) {
      int end = hadBytes + FIXED_BYTES + nameEnd - nameAt;
      if (end > had.length) {
        // Most keys have one or two versions.
        had = Arrays.copyOf(had, end + hadBytes);
      }
      ByteBuffer.wrap(had, hadBytes, had.length - hadBytes)
          .putLong(lastChange)
          .putInt(valueHash)
          .put(record, nameAt, nameEnd - nameAt);
      hadBytes = end;
    }

    /** {@link Arrays#hashCode(byte[])} of that part. */
    private static int hash(byte[] bytes, int from, int end) {
      int hash = 1;
      for (int i = from; i < end; i++) {
        hash = 31 * hash + bytes[i];
      }
      return hash;
    }
  }

  /** Throws {@link IllegalArgumentException} for another version. */
  public static KeyPast decode(RecordRules rules, byte[] bytes) {
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
      since.put(new Id(next(rules, in), valueHash), hlc);
    }
    List<Delete> deletes = new ArrayList<>();
    for (int left = in.getInt(); left > 0; left--) {
      deletes.add(new Delete(in.getLong(), next(rules, in)));
    }
    return new KeyPast(in.hasRemaining() ? in.getShort() : UNKNOWN, from, since, deletes);
  }

  /** The name or mark at the position of {@code in}. */
  private static KeyBytes next(RecordRules rules, ByteBuffer in) {
    byte[] bytes = new byte[rules.length(in, in.position())];
    in.get(bytes);
    return new KeyBytes(bytes);
  }
}
