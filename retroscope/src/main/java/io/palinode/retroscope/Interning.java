package io.palinode.retroscope;

import io.palinode.retroscope.segment.Cursor;
import io.palinode.retroscope.segment.KeyDictionary;
import io.palinode.retroscope.segment.KeyGeneration;
import io.palinode.retroscope.segment.Segment;
import io.palinode.retroscope.segment.Varint;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Rewrites sealed segments: each key, kept once in a generation, becomes a number. Called by one
 * thread at a time; works on pinned segments, without the log's lock.
 */
final class Interning {
  private final LogLayout layout;
  private final long generationAgeHlc;
  private final Cursor entry = new Cursor();
  private final Cursor ahead = new Cursor();
  private final KeyDictionary.Batch batch = new KeyDictionary.Batch();
  private @Nullable KeyGeneration current;

  Interning(LogLayout layout, long generationAgeHlc) {
    this.layout = layout;
    this.generationAgeHlc = generationAgeHlc;
  }

  /**
   * What became of a sealed segment's entries: they follow in {@code tail}, if that is not null,
   * and then in {@code fresh}.
   */
  record Rewritten(@Nullable Segment tail, List<Segment> fresh, KeyGeneration keys) {}

  /** {@code taker} supplies unused segments. */
  Rewritten rewrite(Segment.Part sealed, @Nullable Segment tail, Supplier<Segment> taker) {
    KeyGeneration keys = generationOf(sealed.segment());
    Segment begun = tail != null && tail.generation() == keys ? tail : null;
    Segment target = begun;
    List<Segment> fresh = new ArrayList<>();
    long lastHlc = sealed.segment().base();
    // From the first entry on, also of those that have the base's own time.
    ahead.open(sealed, lastHlc - 1);
    entry.open(sealed, lastHlc - 1);
    while (numberKeysAhead(keys)) {
      for (int i = 0; i < batch.size(); i++) {
        entry.next();
        if (target == null || !target.hasRoomFor(sizeMax(entry))) {
          target = taker.get().begin(lastHlc, keys);
          fresh.add(target);
          keys.wrote(target.capacity());
        }
        target.writeInterned(entry, batch.number(i));
        lastHlc = entry.hlc();
      }
    }
    return new Rewritten(begun, fresh, keys);
  }

  private boolean numberKeysAhead(KeyGeneration keys) {
    batch.clear();
    while (!batch.isFull() && ahead.next()) {
      batch.add(ahead.keyAt(), ahead.keyLength());
    }
    keys.dictionary().intern(ahead.bytes(), batch);
    return batch.size() > 0;
  }

  private static long sizeMax(Cursor entry) {
    return 3L * Varint.BYTES_MAX + Math.max(0, entry.oldLength());
  }

  private KeyGeneration generationOf(Segment sealed) {
    KeyGeneration keys = current;
    if (keys == null
        || keys.isOver()
        || keys.endsBefore(sealed, generationAgeHlc, layout.generationBytes())) {
      int keysExpected = keys == null ? 0 : keys.dictionary().size();
      keys =
          new KeyGeneration(
              new KeyDictionary(layout.memory(), layout.segmentBytes(), keysExpected),
              sealed.lastHlc());
      current = keys;
    }
    return keys;
  }
}
