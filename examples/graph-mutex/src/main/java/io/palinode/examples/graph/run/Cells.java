package io.palinode.examples.graph.run;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What a colouring client needs of a store: text cells, and the safe point. Every call may throw
 * {@link io.palinode.voldemort.client.RolledBackException}, once a rollback.
 */
public interface Cells extends AutoCloseable {
  @Nullable String get(String key);

  /** The HLC at which the write was accepted first. */
  long put(String key, String value);

  /**
   * Returns once nothing at or before {@code hlc} will be taken back; throws when that takes longer
   * than {@code timeout}.
   */
  void awaitSafe(long hlc, Duration timeout);

  @Override
  void close();
}
