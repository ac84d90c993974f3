package io.palinode.store.order;

import io.palinode.detector.binding.StoreKey;
import io.palinode.store.binding.MissedEpochs;
import io.palinode.store.binding.UndoLog.Restoration;
import io.palinode.store.engine.StorageEngine;
import io.palinode.store.engine.StorageEngine.Change;
import io.palinode.store.restore.KeyPast;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The node's own records, in a store that only the node uses. Numbers are big-endian.
 *
 * <pre>
 * "start"     | version u8 = 1 | incarnation i64 | promised HLC i64 |
 * "fence"     | version u8 = 1 | epoch i64 | target i64 | sequential until, µs i64 |
 *             | restart epoch i64, absent if there was none and the next two are absent
 *             | deep epoch i64 | deep target i64, absent if there was none |
 * "restored"  | version u8 = 1 | epoch i64 | attempt i32 | undone writes i64 | keys i32 |
 *             | per key: store name length i32, store name in UTF-8, key length i32, key |
 * "pasts"     | version u8 = 1 | epoch i64 | attempt i32 | from i64 | keys i32 |
 *             | per key: store name, key, past ({@link KeyPast}), each after its length i32 |
 * </pre>
 */
public final class NodeMeta {
  public static final String STORE = "palinode-meta";

  private static final byte VERSION = 1;
  private static final byte[] START = "start".getBytes(StandardCharsets.US_ASCII);
  private static final byte[] FENCE = "fence".getBytes(StandardCharsets.US_ASCII);
  private static final byte[] RESTORED = "restored".getBytes(StandardCharsets.US_ASCII);
  private static final byte[] PASTS = "pasts".getBytes(StandardCharsets.US_ASCII);

  private NodeMeta() {}

  /**
   * The incarnation and its clock promise.
   *
   * @param promisedHlc no write of this incarnation is later; the next incarnation starts after it
   */
  public record Start(long incarnation, long promisedHlc) {
    public static final Start NEVER = new Start(0, 0);

    public static Start read(StorageEngine engine) {
      return of(engine.get(STORE, START));
    }

    /** Decodes a record; null gives {@link #NEVER}. */
    static Start of(byte @Nullable [] record) {
      ByteBuffer in = opened(START, record);
      return in == null ? NEVER : new Start(in.getLong(), in.getLong());
    }

    public Change toChange() {
      return change(START, 2 * Long.BYTES, out -> out.putLong(incarnation).putLong(promisedHlc));
    }
  }

  public static FenceState readFence(StorageEngine engine) {
    ByteBuffer in = read(engine, FENCE);
    return in == null
        ? FenceState.INITIAL
        : FenceState.resumed(in.getLong(), in.getLong(), in.getLong(), missed(in));
  }

  private static MissedEpochs missed(ByteBuffer in) {
    long restartEpoch = in.hasRemaining() ? in.getLong() : 0;
    return in.hasRemaining()
        ? new MissedEpochs(restartEpoch, in.getLong(), in.getLong())
        : new MissedEpochs(restartEpoch, 0, 0);
  }

  public static Change fenceChange(
      long epoch, long target, long sequentialUntilMicros, MissedEpochs missed) {
    boolean isDeep = missed.deepEpoch() != 0;
    boolean hasRestart = isDeep || missed.restartEpoch() != 0;
    return change(
        FENCE,
        (isDeep ? 6 : hasRestart ? 4 : 3) * Long.BYTES,
        out -> {
          out.putLong(epoch).putLong(target).putLong(sequentialUntilMicros);
          if (hasRestart) {
            out.putLong(missed.restartEpoch());
          }
          if (isDeep) {
            out.putLong(missed.deepEpoch()).putLong(missed.deepTarget());
          }
        });
  }

  /** The last restore that was done, with its result. */
  public record Mark(long epoch, int attempt, Restoration restoration) {

    public boolean covers(long otherEpoch, int otherAttempt) {
      return epoch > otherEpoch || (epoch == otherEpoch && attempt >= otherAttempt);
    }

    /** The same mark without its keys, which no node needs after the resume. */
    public Mark withoutKeys() {
      return new Mark(epoch, attempt, new Restoration(restoration.undoneWrites(), List.of()));
    }

    public static @Nullable Mark read(StorageEngine engine) {
      ByteBuffer in = NodeMeta.read(engine, RESTORED);
      if (in == null) {
        return null;
      }
      long epoch = in.getLong();
      int attempt = in.getInt();
      long undone = in.getLong();
      int count = in.getInt();
      List<StoreKey> changed = new ArrayList<>(count);
      for (int i = 0; i < count; i++) {
        changed.add(new StoreKey(new String(bytes(in), StandardCharsets.UTF_8), bytes(in)));
      }
      return new Mark(epoch, attempt, new Restoration(undone, List.copyOf(changed)));
    }

    public Change toChange() {
      List<byte[]> parts = new ArrayList<>(2 * restoration.changed().size());
      int bytes = 2 * Long.BYTES + 2 * Integer.BYTES;
      for (StoreKey key : restoration.changed()) {
        parts.add(key.store().getBytes(StandardCharsets.UTF_8));
        parts.add(key.key());
      }
      for (byte[] part : parts) {
        bytes = Math.addExact(bytes, Integer.BYTES + part.length);
      }
      return change(RESTORED, bytes, out -> writeTo(out, parts));
    }

    private void writeTo(ByteBuffer out, List<byte[]> parts) {
      out.putLong(epoch).putInt(attempt);
      out.putLong(restoration.undoneWrites()).putInt(restoration.changed().size());
      parts.forEach(part -> out.putInt(part.length).put(part));
    }
  }

  /**
   * The pasts of the keys that changed near the cut of a restore. On disk, since a window-log in
   * memory is lost in a crash.
   *
   * @param from where the past of every other key begins
   */
  public record Pasts(long epoch, int attempt, long from, Map<StoreKey, byte[]> byKey) {

    public static @Nullable Pasts read(StorageEngine engine) {
      ByteBuffer in = NodeMeta.read(engine, PASTS);
      if (in == null) {
        return null;
      }
      long epoch = in.getLong();
      int attempt = in.getInt();
      long from = in.getLong();
      Map<StoreKey, byte[]> byKey = new LinkedHashMap<>();
      for (int left = in.getInt(); left > 0; left--) {
        byKey.put(
            new StoreKey(new String(bytes(in), StandardCharsets.UTF_8), bytes(in)), bytes(in));
      }
      return new Pasts(epoch, attempt, from, byKey);
    }

    /** The change that removes them. */
    public static Change removal() {
      return new Change(STORE, PASTS, null);
    }

    public Change toChange() {
      List<byte[]> parts = new ArrayList<>(3 * byKey.size());
      byKey.forEach(
          (key, past) -> {
            parts.add(key.store().getBytes(StandardCharsets.UTF_8));
            parts.add(key.key());
            parts.add(past);
          });
      int bytes = 2 * Long.BYTES + 2 * Integer.BYTES;
      for (byte[] part : parts) {
        bytes = Math.addExact(bytes, Integer.BYTES + part.length);
      }
      return change(
          PASTS,
          bytes,
          out -> {
            out.putLong(epoch).putInt(attempt).putLong(from).putInt(byKey.size());
            parts.forEach(part -> out.putInt(part.length).put(part));
          });
    }
  }

  private static Change change(byte[] key, int bodyBytes, Consumer<ByteBuffer> body) {
    byte[] record = new byte[1 + bodyBytes];
    body.accept(ByteBuffer.wrap(record).put(VERSION));
    return new Change(STORE, key, record);
  }

  private static @Nullable ByteBuffer read(StorageEngine engine, byte[] key) {
    return opened(key, engine.get(STORE, key));
  }

  private static @Nullable ByteBuffer opened(byte[] key, byte @Nullable [] record) {
    if (record == null) {
      return null;
    }
    ByteBuffer in = ByteBuffer.wrap(record);
    byte version = in.get();
    if (version != VERSION) {
      throw new IllegalStateException(
          "a record of %s must be of version 1: key=%s version=%d"
              .formatted(STORE, new String(key, StandardCharsets.US_ASCII), version));
    }
    return in;
  }

  private static byte[] bytes(ByteBuffer in) {
    byte[] bytes = new byte[in.getInt()];
    in.get(bytes);
    return bytes;
  }
}
