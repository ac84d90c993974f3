package io.palinode.examples.balances;

import io.palinode.voldemort.client.Store;
import io.palinode.voldemort.client.session.InsufficientNodesException;
import io.palinode.voldemort.protocol.Versioned;
import java.util.List;
import java.util.Random;
import java.util.function.BooleanSupplier;

/** Reads one balance after the other, at random, with their siblings. */
final class Auditor {
  private final List<String> keys;
  private final Store store;
  private final SessionLog log;
  private final Random random;

  Auditor(List<String> keys, Store store, SessionLog log, long seed) {
    this.keys = keys;
    this.store = store;
    this.log = log;
    this.random = new Random(seed);
  }

  void run(BooleanSupplier stopped) {
    while (!stopped.getAsBoolean()) {
      String key = keys.get(random.nextInt(keys.size()));
      try {
        for (Versioned version : store.versions(key)) {
          log.add(new SessionLog.Read(key, version.text(), version.clock()));
        }
      } catch (InsufficientNodesException e) {
        // No node answered in time; a later turn reads the balance.
      }
    }
  }
}
