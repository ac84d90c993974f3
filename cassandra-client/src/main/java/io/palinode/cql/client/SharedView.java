package io.palinode.cql.client;

import io.palinode.cql.protocol.Context;
import io.palinode.cql.protocol.Fence;

/** The view of all calls of a session. Thread-safe. */
final class SharedView {
  private volatile ClientView now = ClientView.INITIAL;

  ClientView now() {
    return now;
  }

  synchronized void answered(Context answer) {
    now = now.answered(answer);
  }

  /** Returns the view after the fence. */
  synchronized ClientView fenced(Fence fence) {
    now = now.fenced(fence);
    return now;
  }
}
