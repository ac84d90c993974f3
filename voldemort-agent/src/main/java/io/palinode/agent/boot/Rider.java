package io.palinode.agent.boot;

import org.jspecify.annotations.Nullable;

/** A request of a client, which knows what rides along. */
public interface Rider {
  @Nullable Ride palinodeRide();
}
