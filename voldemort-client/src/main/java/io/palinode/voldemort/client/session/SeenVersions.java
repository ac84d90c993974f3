package io.palinode.voldemort.client.session;

import io.palinode.voldemort.protocol.VectorClock;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The versions that this client has read or written, by key, for nodes that look for lost updates.
 * Thread-safe.
 *
 * <p>It never forgets a version that may be in the store: a node would then report an update of it
 * as lost. So it takes no further key once it is full, and gives up a key with too many siblings.
 */
public final class SeenVersions {
  /** Of one key, none of which supersedes another. */
  static final int VERSIONS_MAX = 8;

  /** Own writes of one key that a rollback may discard; older ones count as read. */
  static final int RECENT_MAX = 8;

  private final int keysMax;
  private final Map<Key, Seen> byKey = new HashMap<>();
  private boolean full;

  /** A key of a store, whose bytes no other object changes. */
  private record Key(String store, ByteBuffer key) {}

  private record Own(VectorClock clock, long acceptedAt) {}

  /** What was seen of one key. */
  private static final class Seen {
    private final List<VectorClock> kept = new ArrayList<>(1);
    private final Deque<Own> recent = new ArrayDeque<>(1);

    /** Own writes that the last rollback discarded; the next one may restore them. */
    private final List<VectorClock> discarded = new ArrayList<>(0);

    /** Own writes without an answer yet. A node may have them, for other threads to supersede. */
    private final List<VectorClock> underWay = new ArrayList<>(0);

    private boolean isGivenUp;

    void keep(VectorClock clock) {
      addMaximal(kept, clock);
      if (kept.size() > VERSIONS_MAX) {
        isGivenUp = true;
        kept.clear();
        recent.clear();
        discarded.clear();
      }
    }

    void read(VectorClock clock) {
      if (recent.stream().noneMatch(own -> own.clock().equals(clock))) {
        keep(clock);
      }
    }

    void wrote(Own own) {
      recent.add(own);
      if (recent.size() > RECENT_MAX) {
        keep(recent.remove().clock());
      }
    }

    void rolledBack(long target) {
      List<VectorClock> before = List.copyOf(discarded);
      discarded.clear();
      for (Iterator<Own> i = recent.iterator(); i.hasNext(); ) {
        Own own = i.next();
        if (own.acceptedAt() > target) {
          discarded.add(own.clock());
          i.remove();
        }
      }
      before.forEach(this::keep);
    }

    List<VectorClock> all() {
      List<VectorClock> all = new ArrayList<>(kept);
      recent.forEach(own -> addMaximal(all, own.clock()));
      underWay.forEach(clock -> addMaximal(all, clock));
      return all;
    }
  }

  public SeenVersions(int keysMax) {
    this.keysMax = keysMax;
  }

  private static void addMaximal(List<VectorClock> clocks, VectorClock clock) {
    if (clocks.stream().noneMatch(clock::isAtMost)) {
      clocks.removeIf(other -> other.isAtMost(clock));
      clocks.add(clock);
    }
  }

  /** The application has read these versions, or may have written them. */
  public synchronized void read(String store, byte[] key, Collection<VectorClock> clocks) {
    Seen seen = clocks.isEmpty() ? null : known(store, key);
    if (seen != null) {
      clocks.forEach(seen::read);
    }
  }

  /** A node is asked to write this version. */
  public synchronized void begins(String store, byte[] key, VectorClock clock) {
    Seen seen = known(store, key);
    if (seen != null) {
      seen.underWay.add(clock);
    }
  }

  /** The outcome of these writes is noted, as far as it is known. */
  public synchronized void ends(String store, byte[] key, Collection<VectorClock> clocks) {
    Seen seen = byKey.get(new Key(store, ByteBuffer.wrap(key)));
    if (seen != null) {
      clocks.forEach(seen.underWay::remove);
    }
  }

  /**
   * The application has written this version.
   *
   * @param acceptedAt the HLC of the write; 0 from a stock node
   */
  public synchronized void wrote(String store, byte[] key, VectorClock clock, long acceptedAt) {
    Seen seen = known(store, key);
    if (seen != null && acceptedAt == 0) {
      seen.keep(clock);
    } else if (seen != null) {
      seen.wrote(new Own(clock, acceptedAt));
    }
  }

  /** Null if it is not known completely. */
  private @Nullable Seen known(String store, byte[] key) {
    Key of = new Key(store, ByteBuffer.wrap(key));
    Seen seen = byKey.get(of);
    if (seen == null && byKey.size() == keysMax) {
      full = true;
      return null;
    }
    if (seen == null) {
      seen = new Seen();
      byKey.put(of, seen);
    }
    return seen.isGivenUp ? null : seen;
  }

  /**
   * Forgets the own writes that this rollback discarded: a version that is restored is not seen
   * because a discarded one superseded it. If some of them may stand, forgets nothing. O(keys).
   */
  public synchronized void rolledBack(RolledBack rolledBack) {
    boolean isExact = !rolledBack.restart() && rolledBack.toEpoch() == rolledBack.fromEpoch() + 1;
    long target = isExact ? rolledBack.target() : Long.MAX_VALUE;
    byKey.values().forEach(seen -> seen.rolledBack(target));
  }

  /** The clocks of what was seen of a key; null if that is not known completely. */
  public synchronized @Nullable List<VectorClock> of(String store, byte[] key) {
    Seen seen = byKey.get(new Key(store, ByteBuffer.wrap(key)));
    if (seen == null) {
      return full ? null : List.of();
    }
    return seen.isGivenUp ? null : List.copyOf(seen.all());
  }
}
