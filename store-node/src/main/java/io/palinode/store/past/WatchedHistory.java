package io.palinode.store.past;

import io.palinode.retroscope.OutOfReachException;
import io.palinode.retroscope.WindowLog;
import io.palinode.retroscope.snapshot.History;
import io.palinode.retroscope.snapshot.RollbackTimes;
import io.palinode.retroscope.snapshot.Scan;
import io.palinode.retroscope.snapshot.file.Entry;
import java.util.List;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The history of a node that receives the changes of another server. A time before which the node
 * missed a change is out of reach. Thread-safe.
 *
 * @param wholeSince the HLC since which the node has missed no change; {@link #OFF}: it misses them
 *     from now on
 * @param lost throws if the server lost records after that HLC; see {@link #requireNothingLost}
 */
public record WatchedHistory(History history, LongSupplier wholeSince, LongConsumer lost)
    implements History {
  /** No time is in reach. */
  public static final long OFF = Long.MAX_VALUE;

  @Override
  public List<String> stores() {
    return history.stores();
  }

  @Override
  public WindowLog past(String store) {
    return history.past(store);
  }

  @Override
  public long settle(long hlc) {
    long own = history.settle(hlc);
    // After it: a change that was missed and can be read is known by now.
    long since = wholeSince.getAsLong();
    if (hlc < since) {
      throw new OutOfReachException(hlc, Math.min(since, own), own);
    }
    return own;
  }

  @Override
  public RollbackTimes rollbacks() {
    return history.rollbacks();
  }

  @Override
  public byte @Nullable [] get(String store, byte[] key) {
    return history.get(store, key);
  }

  @Override
  public List<Entry> page(String store, byte @Nullable [] after, int bytesMax) {
    return history.page(store, after, bytesMax);
  }

  @Override
  public @Nullable Scan scan(String store) {
    return history.scan(store);
  }

  @Override
  public void requireNothingLost(long hlc) {
    lost.accept(hlc);
  }
}
