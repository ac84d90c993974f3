package io.palinode.agent.boot;

import org.jspecify.annotations.Nullable;

/** A request of a client with its {@link Ride}. */
public interface Rider {
  @Nullable Ride palinodeRide();
}
