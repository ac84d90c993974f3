package io.palinode.cassandra.node;

import java.util.concurrent.atomic.AtomicLong;

/** What other servers have sent about epochs. Thread-safe. */
public final class PeerEpochs {
  private final AtomicLong newest = new AtomicLong();
  private final AtomicLong refusals = new AtomicLong();

  PeerEpochs() {}

  /**
   * @param isRefusal whether that server did not carry out a request of this one
   */
  public void received(long epoch, boolean isRefusal) {
    newest.accumulateAndGet(epoch, Math::max);
    if (isRefusal) {
      refusals.incrementAndGet();
    }
  }

  /** The greatest one. */
  public long newestEpoch() {
    return newest.get();
  }

  /** How often another server did not carry out a request of this one. */
  public long refusals() {
    return refusals.get();
  }
}
