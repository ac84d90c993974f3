package io.palinode.detector.ring;

import io.palinode.detector.ring.Emission.Gap;
import io.palinode.detector.ring.Emission.Progress;
import java.util.Collection;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The bounded queue between the threads that write to the store and the one that sends. Adding
 * never waits for room: an event without room is dropped and becomes part of its partition's {@link
 * Gaps}. Thread-safe; every call except those that await is O(1), or O(partitions and gaps) where
 * gaps go out.
 *
 * <p>A partition's gap goes out behind all that was added before it, and before anything of that
 * partition that is added after it, progress included: a reader that sees progress has seen every
 * event up to it, or a gap in its place.
 */
public final class CandidateRing {
  /** The limit of all queued values and clocks in bytes; without it, they could fill the heap. */
  public static final long VERSION_BYTES_MAX = 64L << 20;

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition somethingAdded = lock.newCondition();
  private final Condition roomMade = lock.newCondition();
  private final @Nullable Emission[] slots;
  private final Gaps gaps;
  private boolean woken;

  /** The size that {@link #awaitSize} waits for. */
  private int awaited = 1;

  private int head;
  private int size;
  private long versionBytes;
  private long emitted;
  private long dropped;
  private long gapsEmitted;

  public CandidateRing(int capacity, int partitions) {
    if (capacity < 2 || partitions < 1) {
      throw new IllegalArgumentException(
          "a ring needs at least 2 slots and 1 partition: capacity="
              + capacity
              + " partitions="
              + partitions);
    }
    slots = new Emission[capacity];
    gaps = new Gaps(partitions);
  }

  public int partitions() {
    return gaps.partitions();
  }

  public int capacity() {
    return slots.length;
  }

  /** Adds the event; or makes it part of a gap, and returns false. */
  public boolean add(Emission.Event event) {
    int partition = event.partition();
    lock.lock();
    try {
      if (free() < gaps.size(partition) + 1
          || versionBytes + event.versionBytes() > VERSION_BYTES_MAX) {
        lose(event.lost());
        return false;
      }
      pushGaps(partition);
      push(event);
      return true;
    } finally {
      lock.unlock();
    }
  }

  /** Adds progress behind the gaps so far; false when there is no room for all of it. */
  public boolean add(Progress progress) {
    lock.lock();
    try {
      if (free() < gaps.size() + 1) {
        return false;
      }
      for (int partition = 0; gaps.size() > 0; partition++) {
        pushGaps(partition);
      }
      push(progress);
      return true;
    } finally {
      lock.unlock();
    }
  }

  /** Records events that were lost elsewhere than in this ring. */
  public void lost(Gap gap) {
    lock.lock();
    try {
      lose(gap);
    } finally {
      lock.unlock();
    }
  }

  /** Moves at most {@code max} emissions, the oldest first. Returns how many. */
  public int drain(Collection<? super Emission> into, int max) {
    lock.lock();
    try {
      int drained = 0;
      for (; drained < max && size > 0; drained++) {
        into.add(pop());
      }
      // The queue is empty, so this is the gaps' place. No later event may come to carry them.
      int partition = 0;
      while (drained < max && size == 0 && gaps.size() > 0) {
        Gap gap = gaps.take(partition);
        if (gap == null) {
          partition++;
        } else {
          into.add(gap);
          gapsEmitted++;
          drained++;
        }
      }
      roomMade.signalAll();
      return drained;
    } finally {
      lock.unlock();
    }
  }

  /** Waits until there is something to drain or a thread calls {@link #wake}, at most this long. */
  public void awaitEmission(long nanos) throws InterruptedException {
    lock.lock();
    try {
      for (long left = nanos; left > 0 && size == 0 && gaps.size() == 0 && !woken; ) {
        left = somethingAdded.awaitNanos(left);
      }
      woken = false;
    } finally {
      lock.unlock();
    }
  }

  /** Waits until there are so many emissions, at most this long. For the thread that drains. */
  public void awaitSize(int emissions, long nanos) throws InterruptedException {
    lock.lock();
    try {
      awaited = emissions;
      for (long left = nanos; left > 0 && size < emissions; ) {
        left = somethingAdded.awaitNanos(left);
      }
    } finally {
      awaited = 1;
      lock.unlock();
    }
  }

  /** Ends the wait for an emission, this one or the next. */
  void wake() {
    lock.lock();
    try {
      woken = true;
      somethingAdded.signal();
    } finally {
      lock.unlock();
    }
  }

  /**
   * Waits until {@code wanted} emissions fit (or the ring is empty), for a caller that may wait.
   * False after the timeout.
   */
  public boolean awaitRoom(int wanted, long timeout, TimeUnit unit) throws InterruptedException {
    lock.lock();
    try {
      long left = unit.toNanos(timeout);
      while (left > 0 && free() < Math.min(wanted, slots.length)) {
        left = roomMade.awaitNanos(left);
      }
      return left > 0;
    } finally {
      lock.unlock();
    }
  }

  /** Whether so many events fit now, whatever their partitions; or the ring is empty. */
  public boolean hasRoom(int events) {
    lock.lock();
    try {
      int wanted = events + Math.max(gaps.size(), gaps.partitions());
      // More gaps than slots go out once the queue is empty.
      return gaps.size() < slots.length && free() >= Math.min(wanted, slots.length);
    } finally {
      lock.unlock();
    }
  }

  /** Emissions that wait to be drained. */
  public int size() {
    return (int) read(() -> size);
  }

  /** Whether all that was added is drained, gaps included. */
  public boolean isEmpty() {
    return read(() -> size + gaps.size()) == 0;
  }

  /** Events and progress taken out. */
  public long emitted() {
    return read(() -> emitted);
  }

  /** Events that became part of a gap. */
  public long dropped() {
    return read(() -> dropped);
  }

  /** Gaps sent out. */
  public long gaps() {
    return read(() -> gapsEmitted);
  }

  private long read(LongSupplier field) {
    lock.lock();
    try {
      return field.getAsLong();
    } finally {
      lock.unlock();
    }
  }

  private int free() {
    return slots.length - size;
  }

  private void push(Emission emission) {
    slots[(head + size) % slots.length] = emission;
    size++;
    versionBytes += versionBytesOf(emission);
    if (size == awaited) {
      somethingAdded.signal();
    }
  }

  private Emission pop() {
    Emission emission = Objects.requireNonNull(slots[head]);
    slots[head] = null;
    head = (head + 1) % slots.length;
    size--;
    versionBytes -= versionBytesOf(emission);
    if (emission instanceof Gap) {
      gapsEmitted++;
    } else {
      emitted++;
    }
    return emission;
  }

  private static long versionBytesOf(Emission emission) {
    return emission instanceof Emission.Event event ? event.versionBytes() : 0;
  }

  private void lose(Gap gap) {
    gaps.add(gap);
    dropped += gap.lastSequence() - gap.firstSequence() + 1;
    if (size == 0) {
      somethingAdded.signal();
    }
  }

  private void pushGaps(int partition) {
    for (Gap gap = gaps.take(partition); gap != null; gap = gaps.take(partition)) {
      push(gap);
    }
  }
}
