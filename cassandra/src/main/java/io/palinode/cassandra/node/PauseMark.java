package io.palinode.cassandra.node;

import io.palinode.store.engine.StorageEngine;
import io.palinode.store.engine.StorageEngine.Change;
import io.palinode.store.engine.StorageEngine.Durability;
import io.palinode.store.order.NodeMeta;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * The last epoch that the node paused for, on disk. The server accepts mutations before its node
 * has read the control log, so it refuses them until then if that epoch has not begun.
 *
 * <pre>
 * "paused" | version u8 = 1 | epoch i64 |
 * </pre>
 */
final class PauseMark {
  private static final byte VERSION = 1;
  private static final byte[] KEY = "paused".getBytes(StandardCharsets.US_ASCII);

  private PauseMark() {}

  /** On the medium when it returns. Throws {@link io.palinode.store.engine.StorageException}. */
  static void write(StorageEngine engine, long epoch) {
    byte[] record = ByteBuffer.allocate(1 + Long.BYTES).put(VERSION).putLong(epoch).array();
    engine.commit(List.of(new Change(NodeMeta.STORE, KEY, record)), Durability.SYNCED);
  }

  /** The epoch that the node is paused for; 0 if it is not paused. */
  static long read(StorageEngine engine) {
    byte[] record = engine.get(NodeMeta.STORE, KEY);
    if (record == null) {
      return 0;
    }
    if (record[0] != VERSION) {
      throw new IllegalStateException(
          "the record of a pause must be of version %d: %d".formatted(VERSION, record[0]));
    }
    long epoch = ByteBuffer.wrap(record).getLong(1);
    return epoch > NodeMeta.readFence(engine).epoch() ? epoch : 0;
  }
}
