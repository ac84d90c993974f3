package io.palinode.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.palinode.voldemort.client.Store;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/** A program that writes and reads its own keys, {@code own0} and on, one after the other. */
final class Bystander {
  private static final int KEYS = 10;
  private final Store store;
  private final AtomicBoolean stop = new AtomicBoolean();
  private final AtomicInteger rounds = new AtomicInteger();
  private final CompletableFuture<Map<String, String>> acknowledged;

  Bystander(Store store) {
    this.store = store;
    this.acknowledged = CompletableFuture.supplyAsync(this::run);
  }

  /** Returns when it has written each key again, twice. */
  void awaitMore() {
    int before = rounds.get();
    await().atMost(RealParts.BOUND).until(() -> rounds.get() >= before + 2);
  }

  /** Ends it; what it has of each key, by what was acknowledged. */
  Map<String, String> stop() throws ExecutionException, InterruptedException {
    stop.set(true);
    return acknowledged.get();
  }

  private Map<String, String> run() {
    Map<String, String> written = new TreeMap<>();
    while (!stop.get()) {
      for (int key = 0; key < KEYS; key++) {
        String value = "round " + rounds.get();
        store.put("own" + key, value);
        written.put("own" + key, value);
        assertThat(store.get("own" + key)).isNotNull();
      }
      rounds.incrementAndGet();
    }
    return written;
  }
}
