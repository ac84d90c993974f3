package io.palinode.voldemort.client;

import java.time.Duration;

/** Stub: one client of a cluster. Thread-safe. */
public final class StoreClient implements AutoCloseable {
  private StoreClient() {}

  /** Bootstraps from the first node that answers. */
  public static StoreClient connect(ClientConfig config) {
    throw new IllegalStateException("stub" + config);
  }

  public Store store(String name) {
    throw new IllegalStateException("stub" + name);
  }

  /**
   * Returns once nothing at or before {@code hlc} will be taken back. Throws {@link
   * RolledBackException} when the store is taken back meanwhile.
   */
  public void awaitSafe(long hlc, Duration timeout) {
    throw new IllegalStateException("stub" + hlc + timeout);
  }

  /** Gets, puts and deletes that this client has finished. */
  public long operations() {
    throw new IllegalStateException("stub");
  }

  @Override
  public void close() {}
}
