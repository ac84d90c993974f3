package io.palinode.store.past;

import io.palinode.detector.binding.StoreKey;
import io.palinode.store.affected.Access;
import io.palinode.store.affected.Access.Kind;
import io.palinode.store.affected.Trace;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The access log: the latest reads and writes, with key and client. Until {@link #begin}, it holds
 * nothing and costs one field read. Thread-safe.
 */
public final class Accesses {
  /** 32 bytes each. */
  public static final int ACCESSES_MAX = 1 << 19;

  public static final int CLIENTS_MAX = 1 << 12;

  private static final int ACCESSES_MIN = 1 << 10;

  private static final long FNV_BASIS = 0xcbf29ce484222325L;
  private static final long FNV_PRIME = 0x100000001b3L;
  private static final int PUT = 1;
  private static final int DELETE = 2;

  private final AtomicReference<@Nullable Ring> ring = new AtomicReference<>();

  /**
   * Starts the log. A repeat changes nothing.
   *
   * @param tick the node's clock, which stamps all accesses
   */
  public void begin(LongSupplier tick) {
    Ring begun = new Ring();
    if (ring.compareAndSet(null, begun)) {
      // After the set: an access with a later tick finds the ring.
      begun.isWholeSince(tick.getAsLong());
    }
  }

  /** Stops and empties the log. */
  public void end() {
    ring.set(null);
  }

  /** Logs a read, also one by a refused put. Call after the record was read. */
  public void read(long hlc, String store, byte[] key, String client) {
    Ring now = ring.get();
    if (now != null) {
      now.add(hlc, keyOf(store, key), Kind.READ, 0, client);
    }
  }

  /** Logs a put of the version with this name. */
  public void put(long hlc, StoreKey key, byte[] name, String client, boolean isCopy) {
    add(hlc, key, writeOf(PUT, name), client, isCopy);
  }

  /** Logs a delete with this mark, even if it found nothing. */
  public void delete(long hlc, StoreKey key, byte[] mark, String client, boolean isCopy) {
    add(hlc, key, writeOf(DELETE, mark), client, isCopy);
  }

  private void add(long hlc, StoreKey key, long write, String client, boolean isCopy) {
    Ring now = ring.get();
    if (now != null) {
      now.add(hlc, keyOf(key.store(), key.key()), kind(isCopy), write, client);
    }
  }

  /** Whether accesses are logged now. */
  public boolean isOn() {
    return ring.get() != null;
  }

  /**
   * The logged accesses after {@code hlc}, and since when the log is complete. Concurrent accesses
   * may be missing.
   */
  public Trace since(int node, long hlc) {
    Ring now = ring.get();
    return now == null ? new Trace(node, Long.MAX_VALUE, List.of()) : now.since(node, hlc);
  }

  private static Kind kind(boolean isCopy) {
    return isCopy ? Kind.COPY : Kind.WRITE;
  }

  /** The hash that names a key. Two keys with one hash are restored together. */
  public static long keyOf(String store, byte[] key) {
    long hash = FNV_BASIS;
    for (int i = 0; i < store.length(); i++) {
      hash = (hash ^ store.charAt(i)) * FNV_PRIME;
    }
    // A separator between the store's name and the key.
    return mixed((hash ^ 0xFFFF) * FNV_PRIME, key);
  }

  /** The hash that names a write among those of one client to one key. */
  private static long writeOf(int kind, byte[] name) {
    return mixed((FNV_BASIS ^ kind) * FNV_PRIME, name);
  }

  /** 64-bit FNV-1a, then the finalizer of MurmurHash3: each bit depends on all. */
  private static long mixed(long begun, byte[] bytes) {
    long hash = begun;
    for (byte b : bytes) {
      hash = (hash ^ (b & 0xFF)) * FNV_PRIME;
    }
    hash = (hash ^ (hash >>> 33)) * 0xff51afd7ed558ccdL;
    hash = (hash ^ (hash >>> 33)) * 0xc4ceb9fe1a85ec53L;
    return hash ^ (hash >>> 33);
  }

  /** A ring in columns, approximately in HLC order: a thread logs shortly after its tick. */
  private static final class Ring {
    private long[] hlcs = new long[ACCESSES_MIN];
    private long[] keys = new long[ACCESSES_MIN];
    private long[] writes = new long[ACCESSES_MIN];
    private int[] clientOf = new int[ACCESSES_MIN];
    private Kind[] kinds = new Kind[ACCESSES_MIN];
    private final Map<String, Integer> numbers = new HashMap<>();
    private final List<String> names = new ArrayList<>();
    private long begun = Long.MAX_VALUE;
    private long forgottenUpTo;
    private long count;

    synchronized void isWholeSince(long hlc) {
      begun = hlc;
    }

    synchronized void add(long hlc, long key, Kind kind, long write, String client) {
      int number = number(client);
      if (count == hlcs.length && count < ACCESSES_MAX) {
        grow(2 * hlcs.length);
      }
      int slot = (int) (count % ACCESSES_MAX);
      if (count >= ACCESSES_MAX) {
        forgottenUpTo = Math.max(forgottenUpTo, hlcs[slot]);
      }
      hlcs[slot] = hlc;
      keys[slot] = key;
      writes[slot] = write;
      clientOf[slot] = number;
      kinds[slot] = kind;
      count++;
    }

    private void grow(int length) {
      hlcs = Arrays.copyOf(hlcs, length);
      keys = Arrays.copyOf(keys, length);
      writes = Arrays.copyOf(writes, length);
      clientOf = Arrays.copyOf(clientOf, length);
      kinds = Arrays.copyOf(kinds, length);
    }

    private int number(String client) {
      Integer known = numbers.get(client);
      if (known != null) {
        return known;
      }
      if (names.size() == CLIENTS_MAX) {
        forget();
      }
      numbers.put(client, names.size());
      names.add(client);
      return names.size() - 1;
    }

    /** Too many clients: starts again. */
    private void forget() {
      for (int slot = 0; slot < Math.min(count, ACCESSES_MAX); slot++) {
        forgottenUpTo = Math.max(forgottenUpTo, hlcs[slot]);
      }
      numbers.clear();
      names.clear();
      count = 0;
    }

    synchronized Trace since(int node, long hlc) {
      List<Access> accesses = new ArrayList<>();
      for (int slot = 0; slot < Math.min(count, ACCESSES_MAX); slot++) {
        if (hlcs[slot] > hlc) {
          String client = names.get(clientOf[slot]);
          accesses.add(new Access(kinds[slot], hlcs[slot], keys[slot], writes[slot], client));
        }
      }
      accesses.sort(Comparator.comparingLong(Access::hlc));
      return new Trace(node, Math.max(begun, forgottenUpTo), accesses);
    }
  }
}
