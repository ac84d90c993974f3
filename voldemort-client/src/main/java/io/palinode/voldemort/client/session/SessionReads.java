package io.palinode.voldemort.client.session;

import io.palinode.voldemort.protocol.Pb0;
import io.palinode.voldemort.protocol.VectorClock;
import io.palinode.voldemort.protocol.VectorClock.Relation;
import io.palinode.voldemort.protocol.Versioned;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Finds reads of a session that return an older version than it had written or read. Thread-safe.
 *
 * <p>Vector clocks alone do not show that: they restart after a delete. So a version counts as old
 * only if it was there, for this client, before the operation began that wrote or read the later
 * one. All of one epoch, for a rollback makes old versions new. What is forgotten is not found, but
 * never makes a false report.
 */
public final class SessionReads {
  /** Versions that are remembered of a key; the oldest is forgotten first. */
  private static final int VERSIONS_MAX = 16;

  /** Of a value that a node is sent. */
  private static final int VALUE_STATED_MAX = 1 << 10;

  private static final long NEVER = Long.MAX_VALUE;

  private final Map<Key, Deque<Known>> byKey;
  private long epoch = EpochView.UNKNOWN;

  /** The operations that have ended in this epoch. */
  private long ended;

  /**
   * @param keysMax the keys that are remembered; the one least recently used is forgotten first
   */
  public SessionReads(int keysMax) {
    this.byKey =
        new LinkedHashMap<>(16, 0.75f, true) {
          @Override
          protected boolean removeEldestEntry(Map.Entry<Key, Deque<Known>> eldest) {
            return size() > keysMax;
          }
        };
  }

  private record Key(String store, ByteBuffer key) {}

  /** When an operation began: after so many others of this epoch had ended. */
  public record Start(long epoch, long after) {}

  /**
   * A version that was read, and a later one that the session had written or read before.
   *
   * @param isAgain whether the session had also read {@code read} before it read {@code before}
   */
  public record Stale(Versioned read, VectorClock before, boolean isWritten, boolean isAgain) {
    /** For a node, with no more than the beginning of a long value. */
    public Pb0.StaleRead toProto() {
      Pb0.Versioned.Builder version = read.toProto().toBuilder();
      Pb0.StaleRead.Builder out = Pb0.StaleRead.newBuilder();
      if (read.value().length > VALUE_STATED_MAX) {
        version.setValue(version.getValue().substring(0, VALUE_STATED_MAX));
        out.setValueBytes(read.value().length);
      }
      return out.setRead(version)
          .setBefore(before.toProto())
          .setWritten(isWritten)
          .setAgain(isAgain)
          .build();
    }
  }

  /** A later version, and when the operation had ended that wrote or read it. */
  private record Later(VectorClock clock, long at) {
    static boolean isBefore(@Nullable Later later, Start start) {
      return later != null && later.at <= start.after;
    }
  }

  /** A version that was there, and when that was known. */
  private static final class Known {
    private final VectorClock clock;
    private final long knownAt;
    private long readAt = NEVER;
    private long writtenAt = NEVER;

    /** Written by this session after this one was known. */
    private @Nullable Later written;

    /** Read by this session after it had read this one. */
    private @Nullable Later readAfterRead;

    /** Read by this session after it had written this one. */
    private @Nullable Later readAfterWrite;

    Known(VectorClock clock, long knownAt) {
      this.clock = clock;
      this.knownAt = knownAt;
    }

    boolean isOf(VectorClock other) {
      return clock.timestampMs() == other.timestampMs() && clock.equals(other);
    }

    boolean isBefore(VectorClock other) {
      return clock.compare(other) == Relation.BEFORE;
    }

    void wasSuperseded(Later by, Start began, boolean isWrite) {
      if (isWrite && knownAt <= began.after && written == null) {
        written = by;
      }
      if (!isWrite && readAt <= began.after && readAfterRead == null) {
        readAfterRead = by;
      }
      if (!isWrite && writtenAt <= began.after && readAfterWrite == null) {
        readAfterWrite = by;
      }
    }

    @Nullable Stale readAt(Start start, Versioned version) {
      if (readAfterRead != null && Later.isBefore(readAfterRead, start)) {
        return new Stale(version, readAfterRead.clock, false, true);
      }
      if (written != null && Later.isBefore(written, start)) {
        return new Stale(version, written.clock, true, false);
      }
      return readAfterWrite != null && Later.isBefore(readAfterWrite, start)
          ? new Stale(version, readAfterWrite.clock, false, false)
          : null;
    }
  }

  /** To be called before the first request of an operation of this epoch. */
  public synchronized Start begin(long inEpoch) {
    return new Start(inEpoch, inEpoch == epoch ? ended : 0);
  }

  /**
   * A read has returned these versions to the program. Returns those that are old.
   *
   * @param inEpoch in which nodes had them
   */
  public synchronized List<Stale> read(
      String store, byte[] key, Start start, long inEpoch, Collection<Versioned> versions) {
    Deque<Known> known = ended(store, key, start, inEpoch);
    if (known == null) {
      return List.of();
    }
    List<Stale> stale = new ArrayList<>(0);
    for (Versioned version : versions) {
      for (Known each : known) {
        Stale found = each.isOf(version.clock()) ? each.readAt(start, version) : null;
        if (found != null) {
          stale.add(found);
        }
      }
    }
    for (Versioned version : versions) {
      supersede(known, version.clock(), start, false);
      Known read = known(known, version.clock());
      read.readAt = Math.min(read.readAt, ended);
    }
    return stale;
  }

  /** These versions were there, though the program did not see them. */
  public synchronized void found(
      String store, byte[] key, Start start, long inEpoch, Collection<VectorClock> clocks) {
    Deque<Known> known = ended(store, key, start, inEpoch);
    if (known != null) {
      clocks.forEach(clock -> known(known, clock));
    }
  }

  /** A node has accepted this version of the program. */
  public synchronized void wrote(
      String store, byte[] key, Start start, long inEpoch, VectorClock clock) {
    Deque<Known> known = ended(store, key, start, inEpoch);
    if (known != null) {
      supersede(known, clock, start, true);
      Known written = known(known, clock);
      written.writtenAt = Math.min(written.writtenAt, ended);
    }
  }

  /** After a delete by this client, equal clocks may name other versions. */
  public synchronized void deleted(String store, byte[] key) {
    byKey.remove(new Key(store, ByteBuffer.wrap(key)));
  }

  /** What is known of the key at the end of an operation; null if its epoch did not last. */
  private @Nullable Deque<Known> ended(String store, byte[] key, Start start, long inEpoch) {
    if (inEpoch == EpochView.UNKNOWN || start.epoch != inEpoch || inEpoch < epoch) {
      return null;
    }
    if (inEpoch > epoch) {
      epoch = inEpoch;
      ended = 0;
      byKey.clear();
    }
    ended++;
    return byKey.computeIfAbsent(new Key(store, ByteBuffer.wrap(key)), k -> new ArrayDeque<>(2));
  }

  private void supersede(Deque<Known> known, VectorClock clock, Start start, boolean isWrite) {
    Later by = new Later(clock, ended);
    for (Known each : known) {
      if (each.isBefore(clock)) {
        each.wasSuperseded(by, start, isWrite);
      }
    }
  }

  private Known known(Deque<Known> known, VectorClock clock) {
    for (Known each : known) {
      if (each.isOf(clock)) {
        return each;
      }
    }
    if (known.size() == VERSIONS_MAX) {
      known.removeFirst();
    }
    Known added = new Known(clock, ended);
    known.addLast(added);
    return added;
  }
}
