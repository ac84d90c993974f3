package io.palinode.retroscope.snapshot;

import static java.util.Objects.requireNonNull;

import io.palinode.retroscope.OutOfReachException;
import io.palinode.retroscope.WindowLog;
import io.palinode.retroscope.WindowLogConfig;
import io.palinode.retroscope.snapshot.file.Entry;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Random;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A node of two stores in maps, with all its past states. It changes between pages, like a serving
 * node. Thread-safe; callbacks run outside of its monitor.
 */
final class MapHistory implements History {
  static final List<String> STORES = List.of("one", "two");
  static final int KEYS = 40;

  private final Random random;
  private final Map<String, TreeMap<byte[], byte[]>> records = new LinkedHashMap<>();
  private final Map<String, WindowLog> pasts = new LinkedHashMap<>();

  /** States by the time of their first change. */
  private final TreeMap<Long, Map<String, String>> states = new TreeMap<>();

  private long clock = 100;
  RollbackTimes rollbacks = RollbackTimes.NONE;

  /** Known from the next page on. */
  @Nullable RollbackTimes rollbacksDuringAPage;

  /** Of each store, that change. */
  int keys = KEYS;

  /** Up to three of these are between two changes. */
  long step = 1;

  /** Looks at a window-log until one gets a log without reach; -1: none. */
  int looksUntilGone = -1;

  /** A clock, and how long it takes to read a key. */
  long nanos;

  long nanosAKey;
  int changesDuringAPage;

  /** Its keys are not read in order. */
  boolean hasNoKeyOrder;

  /** Nothing was lost since; a snapshot of an earlier time is refused. */
  long nothingLostSince;

  volatile Runnable whenSettled = () -> {};
  volatile Runnable whenPaged = () -> {};
  volatile Runnable whenLookedAt = () -> {};
  int valueBytes = 7;
  int keysRead;
  int pagesRead;

  MapHistory(Random random, WindowLogConfig config) {
    this.random = random;
    for (String store : STORES) {
      records.put(store, new TreeMap<>(Overlay.UNSIGNED));
      pasts.put(store, new WindowLog(config, clock));
    }
    states.put(clock, Map.of());
  }

  synchronized void change() {
    String store = STORES.get(random.nextInt(STORES.size()));
    byte[] key = bytes("k" + random.nextInt(keys));
    NavigableMap<byte[], byte[]> of = of(store);
    clock += (random.nextInt(3) + 1) * step;
    byte[] old = of.get(key);
    if (random.nextInt(3) == 0) {
      of.remove(key);
    } else {
      of.put(key, bytes("v".repeat(valueBytes) + random.nextInt(1_000_000)));
    }
    pastNow(store).append(clock, key, old);
    states.put(clock, present());
  }

  /** So many keys at once; the times in between are not kept. */
  synchronized void changeKeys(int count) {
    for (int i = 0; i < count; i++) {
      byte[] key = bytes("many" + i);
      clock++;
      pastNow("one").append(clock, key, of("one").put(key, bytes("v" + clock)));
    }
    states.put(clock, present());
  }

  /** Those keys are gone. */
  synchronized void removeKeys(int count) {
    for (int i = 0; i < count; i++) {
      byte[] key = bytes("many" + i);
      clock++;
      pastNow("one").append(clock, key, of("one").remove(key));
    }
    states.put(clock, present());
  }

  /** The window-log of the other store takes so many bytes; the times in between are not kept. */
  synchronized void fillOther(int valueBytes) {
    byte[] key = bytes("large");
    clock++;
    pastNow("two").append(clock, key, of("two").put(key, new byte[valueBytes]));
  }

  private Map<String, String> present() {
    Map<String, String> state = new TreeMap<>();
    records.forEach((store, of) -> of.forEach((k, v) -> state.put(name(store, k), text(v))));
    return state;
  }

  /** Replayed from the beginning. */
  synchronized Map<String, String> at(long hlc) {
    return requireNonNull(states.floorEntry(hlc)).getValue();
  }

  synchronized List<Long> times() {
    return new ArrayList<>(states.keySet());
  }

  synchronized long now() {
    return clock;
  }

  @Override
  public List<String> stores() {
    return STORES;
  }

  @Override
  public WindowLog past(String store) {
    whenLookedAt.run();
    return pastNow(store);
  }

  private synchronized WindowLog pastNow(String store) {
    if (looksUntilGone >= 0 && looksUntilGone-- == 0) {
      return new WindowLog(WindowLogConfig.DEFAULT, clock);
    }
    return requireNonNull(pasts.get(store));
  }

  private NavigableMap<byte[], byte[]> of(String store) {
    return requireNonNull(records.get(store));
  }

  @Override
  public long settle(long hlc) {
    whenSettled.run();
    return settled(hlc);
  }

  private synchronized long settled(long hlc) {
    if (hlc > clock + 1_000) {
      throw new OutOfReachException(hlc, pastNow("one").reach(), clock);
    }
    clock = Math.max(clock, hlc) + 1;
    return clock;
  }

  @Override
  public RollbackTimes rollbacks() {
    return rollbacks;
  }

  @Override
  public synchronized byte @Nullable [] get(String store, byte[] key) {
    byte[] record = of(store).get(key);
    keysRead++;
    nanos += nanosAKey;
    changeMeanwhile();
    return record;
  }

  @Override
  public List<Entry> page(String store, byte @Nullable [] after, int bytesMax) {
    whenPaged.run();
    return page(store, after);
  }

  private synchronized List<Entry> page(String store, byte @Nullable [] after) {
    pagesRead++;
    boolean changesFirst = random.nextBoolean();
    if (changesFirst) {
      changeMeanwhile();
    }
    List<Entry> page = new ArrayList<>();
    NavigableMap<byte[], byte[]> of = of(store);
    var some = after == null ? of : of.tailMap(after, false);
    for (Map.Entry<byte[], byte[]> entry : some.entrySet()) {
      page.add(new Entry(entry.getKey(), entry.getValue()));
      // Pages of a few keys, so that changes happen in between.
      if (page.size() == 3) {
        break;
      }
    }
    if (!changesFirst) {
      changeMeanwhile();
    }
    return page;
  }

  @Override
  public @Nullable Scan scan(String store) {
    return hasNoKeyOrder ? new ShuffledScan(store) : null;
  }

  /** The keys that are there at the begin, three at a time; a new one is seen or not. */
  private final class ShuffledScan implements Scan {
    private final String store;
    private final List<byte[]> left;

    ShuffledScan(String store) {
      this.store = store;
      synchronized (MapHistory.this) {
        this.left = new ArrayList<>(of(store).keySet());
        Collections.shuffle(left, random);
      }
    }

    @Override
    public List<Entry> next(int bytesMax) {
      whenPaged.run();
      synchronized (MapHistory.this) {
        List<Entry> page = new ArrayList<>();
        while (page.size() < 3 && !left.isEmpty()) {
          byte[] key = left.remove(left.size() - 1);
          byte[] record = of(store).get(key);
          if (record != null) {
            page.add(new Entry(key, record));
          }
          changeMeanwhile();
        }
        return page;
      }
    }
  }

  @Override
  public void requireNothingLost(long hlc) {
    if (hlc < nothingLostSince) {
      throw OutOfReachException.lost(hlc, "a store was emptied");
    }
  }

  private void changeMeanwhile() {
    RollbackTimes fresh = rollbacksDuringAPage;
    rollbacks = fresh == null ? rollbacks : fresh;
    for (int i = 0; i < changesDuringAPage; i++) {
      change();
    }
  }

  static String name(String store, byte[] key) {
    return store + "/" + text(key);
  }

  static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  static String text(byte[] bytes) {
    return new String(bytes, StandardCharsets.UTF_8);
  }
}
