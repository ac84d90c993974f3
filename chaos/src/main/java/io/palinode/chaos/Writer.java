package io.palinode.chaos;

import io.palinode.voldemort.client.ClientConfig;
import io.palinode.voldemort.client.Store;
import io.palinode.voldemort.client.StoreClient;
import io.palinode.voldemort.client.session.RolledBackException;
import io.palinode.voldemort.client.session.StoreException;
import io.palinode.voldemort.protocol.Versioned;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Writes ever greater numbers to its own keys, in its own thread, until closed. */
final class Writer implements Runnable {
  static final String STORE = "default";

  private static final Duration REQUEST_MAX = Duration.ofSeconds(2);
  private static final Duration LAST_WRITE_MAX = Duration.ofSeconds(30);
  private static final int KEYS = 20;
  private static final int ONCE_EVERY = 20;
  private static final long PAUSE_NANOS = 10_000_000;

  private final String name;
  private final List<String> nodes;
  private final Random random;
  private final WriteLedger ledger = new WriteLedger();
  private volatile boolean ended;
  private volatile @Nullable Last last;
  private long number;

  Writer(String name, List<String> nodes, long seed) {
    this.name = name;
    this.nodes = nodes;
    this.random = new Random(seed);
  }

  static ClientConfig config(List<String> nodes, String name) {
    return ClientConfig.of(nodes, name).withRequestTimeout(REQUEST_MAX);
  }

  WriteLedger ledger() {
    return ledger;
  }

  void end() {
    ended = true;
  }

  /** Whether the last write was acknowledged in time, and what the replicas then had. */
  record Last(boolean acknowledged, Map<String, Set<Long>> found) {}

  /** Null until the thread has ended, or when the store did not answer. */
  @Nullable Last last() {
    return last;
  }

  @Override
  public void run() {
    try (StoreClient client = StoreClient.connect(config(nodes, name))) {
      Store store = client.store(STORE);
      while (!ended) {
        write(store);
        LockSupport.parkNanos(PAUSE_NANOS);
      }
      // By the same client, so that the last rollback notifies it too.
      last = last(store);
    } catch (StoreException e) {
      // The missing last result reports it.
    }
  }

  /** True when it was acknowledged. */
  private boolean write(Store store) {
    number++;
    String key = number % ONCE_EVERY == 0 ? onceKey(number) : key(random.nextInt(KEYS));
    try {
      Store.Written written = store.put(key, Long.toString(number));
      ledger.acknowledged(key, number, written.acceptedAt());
      return true;
    } catch (RolledBackException e) {
      ledger.unanswered(key, number);
      ledger.rolledBack(e.rolledBack());
    } catch (StoreException e) {
      ledger.unanswered(key, number);
    }
    return false;
  }

  /** Once more when a rollback, or a node that is not there yet, comes in between. */
  private Last last(Store store) {
    long until = System.nanoTime() + LAST_WRITE_MAX.toNanos();
    while (true) {
      boolean acknowledged = writesOnce(store, until);
      try {
        return new Last(acknowledged, found(store));
      } catch (RolledBackException e) {
        ledger.rolledBack(e.rolledBack());
      } catch (StoreException e) {
        if (System.nanoTime() >= until) {
          throw e;
        }
      }
    }
  }

  private boolean writesOnce(Store store, long until) {
    while (System.nanoTime() < until) {
      if (write(store)) {
        return true;
      }
    }
    return false;
  }

  /** What all replicas together have of its keys. */
  private Map<String, Set<Long>> found(Store store) {
    Map<String, Set<Long>> found = new HashMap<>();
    Stream.concat(
            IntStream.range(0, KEYS).mapToObj(this::key),
            LongStream.rangeClosed(1, number / ONCE_EVERY).mapToObj(i -> onceKey(i * ONCE_EVERY)))
        .forEach(key -> found.put(key, numbersOf(store, key)));
    return found;
  }

  private Set<Long> numbersOf(Store store, String key) {
    Set<Long> numbers = new HashSet<>();
    for (int node = 0; node < nodes.size(); node++) {
      for (Versioned version : store.versionsAt(node, key)) {
        numbers.add(Long.parseLong(version.text()));
      }
    }
    return numbers;
  }

  /** Never written again: whether this very write stands is seen at the end. */
  private String onceKey(long written) {
    return name + "_once_" + written;
  }

  private String key(int index) {
    return name + "_" + index;
  }
}
