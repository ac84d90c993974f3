package io.palinode.detection.trace;

import io.palinode.detection.Candidate;
import org.jspecify.annotations.Nullable;

/**
 * The candidates of one instance that start at one node, in the order of their own starts. For one
 * thread; reading may be input, and fail with an {@link java.io.UncheckedIOException}.
 */
public interface CandidateCursor {
  /** The next one, again and again until {@link #advance}; null at the end. */
  @Nullable Candidate head();

  /** Passes the head, which there must be. */
  void advance();
}
