package io.palinode.cassandra.node;

import io.palinode.detector.binding.StoreKey;
import io.palinode.store.binding.UndoLog.Replica;
import io.palinode.store.binding.UndoLog.Restoration;
import io.palinode.store.engine.KeyBytes;
import java.nio.ByteBuffer;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The cells that a rollback restored or merged, until a resume writes them into the tables. Their
 * records keep the timestamps of their clients, which later steps compare. Immutable.
 *
 * <pre>
 * | version u8 = 1 | timestamp i64, 0 before the resume | cells i32 |
 * | per cell: key length i32, key, record length i32, record; no bytes: never written |
 * </pre>
 *
 * @param timestamp of the resume that writes them; 0 before it
 */
record PendingCells(long timestamp, Map<KeyBytes, byte[]> cells) {
  static final PendingCells NONE = new PendingCells(0, Map.of());

  private static final byte VERSION = 1;
  private static final byte[] NEVER_WRITTEN = new byte[0];
  private static final int HEADER_BYTES = 1 + Long.BYTES + Integer.BYTES;

  PendingCells {
    cells = Map.copyOf(cells);
  }

  boolean isEmpty() {
    return cells.isEmpty();
  }

  boolean has(byte[] key) {
    return cells.containsKey(new KeyBytes(key));
  }

  /** The record of a cell that it {@linkplain #has has}; null if it was never written. */
  byte @Nullable [] record(byte[] key) {
    byte[] record = cells.get(new KeyBytes(key));
    return record == null || record.length == 0 ? null : record;
  }

  /** With these records, null for a cell that was never written. */
  PendingCells with(Map<KeyBytes, byte @Nullable []> changes) {
    Map<KeyBytes, byte[]> next = new LinkedHashMap<>(cells);
    changes.forEach((key, record) -> next.put(key, record == null ? NEVER_WRITTEN : record));
    return new PendingCells(timestamp, next);
  }

  PendingCells at(long resumed) {
    return new PendingCells(resumed, cells);
  }

  /**
   * With other digests for keys that it {@linkplain #has has}. A replica that never received a
   * discarded write has the same record, and must write it again too, so it must differ.
   */
  Restoration marking(Restoration restored) {
    Map<StoreKey, Replica> replicas = new LinkedHashMap<>();
    restored
        .replicas()
        .forEach((key, here) -> replicas.put(key, has(key.key()) ? marked(here) : here));
    return new Restoration(restored.undoneWrites(), restored.changed(), replicas);
  }

  /** A digest is not 0. */
  private static Replica marked(Replica here) {
    long other = ~here.digest();
    return new Replica(other == 0 ? 1 : other, here.nodes(), here.weight());
  }

  byte[] encode() {
    int bytes = HEADER_BYTES;
    for (Map.Entry<KeyBytes, byte[]> cell : cells.entrySet()) {
      bytes += 2 * Integer.BYTES + cell.getKey().bytes().length + cell.getValue().length;
    }
    ByteBuffer out = ByteBuffer.allocate(bytes);
    out.put(VERSION).putLong(timestamp).putInt(cells.size());
    cells.forEach((key, record) -> put(put(out, key.bytes()), record));
    return out.array();
  }

  private static ByteBuffer put(ByteBuffer out, byte[] bytes) {
    return out.putInt(bytes.length).put(bytes);
  }

  /** Throws {@link IllegalStateException} for another version. */
  static PendingCells decode(byte[] record) {
    ByteBuffer in = ByteBuffer.wrap(record);
    byte version = in.get();
    if (version != VERSION) {
      throw new IllegalStateException(
          "restored cells must be of version %d: %d".formatted(VERSION, version));
    }
    long timestamp = in.getLong();
    Map<KeyBytes, byte[]> cells = new LinkedHashMap<>();
    for (int left = in.getInt(); left > 0; left--) {
      cells.put(new KeyBytes(bytes(in)), bytes(in));
    }
    return new PendingCells(timestamp, cells);
  }

  private static byte[] bytes(ByteBuffer in) {
    byte[] bytes = new byte[in.getInt()];
    in.get(bytes);
    return bytes;
  }
}
