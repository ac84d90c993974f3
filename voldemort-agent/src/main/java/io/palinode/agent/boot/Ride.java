package io.palinode.agent.boot;

import org.jspecify.annotations.Nullable;

/** One request of a client to one server, with its response. */
public interface Ride {
  /** This thread is about to write the request, or to read its response. */
  void begun();

  /**
   * The thread has done so.
   *
   * @return the exception for the client instead of the response; null to keep the response
   */
  @Nullable RuntimeException ended();
}
