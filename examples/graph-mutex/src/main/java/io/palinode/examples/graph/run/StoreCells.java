package io.palinode.examples.graph.run;

import io.palinode.voldemort.client.ClientConfig;
import io.palinode.voldemort.client.Store;
import io.palinode.voldemort.client.StoreClient;
import java.time.Duration;
import java.util.concurrent.CancellationException;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** The cells of one store, with its own client. R and W are the store's. */
public final class StoreCells implements Cells {
  private static final long SETTLE_POLL_NANOS = 1_000_000;

  private final StoreClient client;
  private final Store store;

  private StoreCells(StoreClient client, Store store) {
    this.client = client;
    this.store = store;
  }

  /** Blocks until the client has met its cluster; fails as {@link StoreClient#connect} does. */
  public static StoreCells connect(ClientConfig config, String store) {
    StoreClient client = StoreClient.connect(config);
    boolean opened = false;
    try {
      StoreCells cells = new StoreCells(client, client.store(store));
      opened = true;
      return cells;
    } finally {
      if (!opened) {
        client.close();
      }
    }
  }

  @Override
  public @Nullable String get(String key) {
    return store.get(key);
  }

  @Override
  public long put(String key, String value) {
    return store.put(key, value).acceptedAt();
  }

  @Override
  public void awaitSafe(long hlc, Duration timeout) {
    client.awaitSafe(hlc, timeout);
  }

  @Override
  public void settle(Duration timeout) {
    long since = System.nanoTime();
    while (client.metrics().copiesInFlight() > 0) {
      if (Thread.currentThread().isInterrupted()) {
        throw new CancellationException("interrupted while copies were in flight");
      }
      if (System.nanoTime() - since > timeout.toNanos()) {
        throw new IllegalStateException(
            "copies must arrive within "
                + timeout.toMillis()
                + " ms: inFlight="
                + client.metrics().copiesInFlight());
      }
      LockSupport.parkNanos(SETTLE_POLL_NANOS);
    }
  }

  @Override
  public void close() {
    client.close();
  }
}
