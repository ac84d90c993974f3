package io.palinode.agent.boot;

import org.jspecify.annotations.Nullable;

/** One request of a client to one server, and its answer. */
public interface Ride {
  /** This thread is about to make the request's bytes, or to read those of its answer. */
  void begun();

  /**
   * It has done so.
   *
   * @return what the client is to get instead of the answer; null: leave it
   */
  @Nullable RuntimeException ended();
}
