package io.palinode.examples.balances;

import io.palinode.voldemort.client.Store;
import io.palinode.voldemort.client.session.InsufficientNodesException;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** Reads a balance and puts what it has read plus 1, again and again. Uses no lock. */
final class Teller {
  private static final int PAUSE_MS = 2;

  /** Longer than a link is cut. */
  private static final int TRIES_MAX = 200;

  private final List<String> keys;
  private final Store store;
  private final SessionLog log;
  private final Random random;

  Teller(List<String> keys, Store store, SessionLog log, long seed) {
    this.keys = keys;
    this.store = store;
    this.log = log;
    this.random = new Random(seed);
  }

  void run(BooleanSupplier stopped) throws InterruptedException {
    for (int number = 0; !stopped.getAsBoolean(); number++) {
      update(keys.get(random.nextInt(keys.size())), log.client() + "." + number);
      TimeUnit.MILLISECONDS.sleep(PAUSE_MS);
    }
  }

  private void update(String key, String name) {
    String read;
    try {
      read = store.get(key);
    } catch (InsufficientNodesException e) {
      // No node answered the read in time: nothing has changed.
      return;
    }
    log.add(new SessionLog.Read(key, read, null));
    put(key, read, new Balance(Balance.amount(read) + 1, name).toString());
  }

  /** A put without an answer may have an effect, so the same value is put again. */
  private void put(String key, @Nullable String read, String value) {
    for (int tries = 1; ; tries++) {
      try {
        Store.Written written = store.put(key, value);
        log.add(new SessionLog.Put(key, read, value, written.node(), written.acceptedAt(), tries));
        return;
      } catch (InsufficientNodesException e) {
        if (tries == TRIES_MAX) {
          throw e;
        }
      }
    }
  }
}
