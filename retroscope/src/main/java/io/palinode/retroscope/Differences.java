package io.palinode.retroscope;

import io.palinode.retroscope.Diff.Known;
import io.palinode.retroscope.WindowLog.PresentValues;
import io.palinode.retroscope.segment.Cursor;
import io.palinode.retroscope.segment.KeyNumbers;
import io.palinode.retroscope.segment.Segment.Part;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import org.jspecify.annotations.Nullable;

/** Finds what changed in pinned parts of a log. Thread-safe; nothing is rewritten meanwhile. */
final class Differences {
  private final ReentrantReadWriteLock lock = new ReentrantReadWriteLock();

  /** To be held while keys are replaced by numbers. */
  Lock rewriting() {
    return lock.writeLock();
  }

  /** What changed in {@code (start, end]}; with a walk, in a step of it. */
  Changes between(long start, long end, List<Part> parts, @Nullable Walk walk) {
    lock.readLock().lock();
    try {
      return Changes.between(start, end, parts, new KeyNumbers(parts), walk);
    } finally {
      lock.readLock().unlock();
    }
  }

  /** The same, and what those keys were at {@code end}. */
  BothWays around(long start, long end, List<Part> parts) {
    lock.readLock().lock();
    try {
      KeyNumbers numbers = new KeyNumbers(parts);
      Changes changed = Changes.comparable(start, end, parts, numbers);
      return new BothWays(changed, changed.after(end, numbers));
    } finally {
      lock.readLock().unlock();
    }
  }

  /** The changes up to some time, and those of the same keys after it. */
  record BothWays(Changes changed, Changes later) {
    Diff forward(PresentValues present, Runnable unpin) {
      return new Diff(later, unchangedSince(present), changed.entries(), unpin);
    }

    /** The keys that have not changed after it, with what they have. */
    private List<Known> unchangedSince(PresentValues present) {
      List<Known> known = new ArrayList<>();
      Cursor entry = new Cursor();
      for (int i = 0; i < changed.size(); i++) {
        if (!later.hasKeyOf(changed, i)) {
          changed.moveTo(i, entry);
          byte[] key = entry.copyKey();
          known.add(new Known(key, present.get(key)));
        }
      }
      return known;
    }
  }
}
