package io.palinode.cql.client;

import io.palinode.cql.protocol.Context;
import io.palinode.cql.protocol.Fence;
import io.palinode.hvc.Hvc;
import org.jspecify.annotations.Nullable;

/**
 * What a client knows of the epoch and of the nodes' clocks. Pure.
 *
 * @param epoch the one of its next request; {@link Context#UNKNOWN} before the first answer
 * @param clock the entry-wise maximum of all clocks that it received; null before the first
 */
record ClientView(long epoch, @Nullable Hvc clock) {
  static final ClientView INITIAL = new ClientView(Context.UNKNOWN, null);

  /** After an answer. A later epoch counts only once a fence has named its target. */
  ClientView answered(Context answer) {
    return new ClientView(
        epoch == Context.UNKNOWN ? answer.epoch() : epoch, merged(answer.clock()));
  }

  private @Nullable Hvc merged(@Nullable Hvc received) {
    if (received == null) {
      return clock;
    }
    // The cluster has grown: its nodes refuse clocks of another size.
    Hvc known = clock == null || clock.nodes() != received.nodes() ? null : clock;
    return (known == null ? Hvc.unknown(received.nodes()) : known).merge(received);
  }

  /** After a refusal. */
  ClientView fenced(Fence fence) {
    return fence.paused() || fence.epoch() <= epoch ? this : new ClientView(fence.epoch(), clock);
  }
}
