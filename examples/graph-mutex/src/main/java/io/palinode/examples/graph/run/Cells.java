package io.palinode.examples.graph.run;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What a colouring client needs of a store: text cells, and the safe point. Gets, puts and the wait
 * for the safe point may throw {@link io.palinode.voldemort.client.session.RolledBackException},
 * once a rollback.
 */
public interface Cells extends AutoCloseable {
  @Nullable String get(String key);

  /** The HLC at which the write was accepted first. */
  long put(String key, String value);

  /**
   * Returns once no rollback will discard anything at or before {@code hlc}; throws if that takes
   * longer than {@code timeout}.
   */
  void awaitSafe(long hlc, Duration timeout);

  /**
   * Returns once no write of this client is on its way to further replicas; throws when that takes
   * longer than {@code timeout}. Until then closing would leave those replicas behind.
   */
  void settle(Duration timeout);

  @Override
  void close();
}
