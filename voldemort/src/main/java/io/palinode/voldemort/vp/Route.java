package io.palinode.voldemort.vp;

import org.jspecify.annotations.Nullable;

/** Whose key a request is for, as clients of all protocols tell it. */
public enum Route {
  /** The node's own; it refuses a key that it does not hold. */
  NORMAL(0),
  /** Anybody's; the node is to ask those that hold it. */
  ROUTED(1),
  /** Anybody's; the node is to serve it from what it has. */
  IGNORE_CHECKS(2);

  private final int code;

  Route(int code) {
    this.code = code;
  }

  /** The route with this code; null for a code that is none. */
  public static @Nullable Route of(int code) {
    for (Route route : values()) {
      if (route.code == code) {
        return route;
      }
    }
    return null;
  }

  /** Of a protocol that knows these two only. */
  public static Route of(boolean routed) {
    return routed ? ROUTED : NORMAL;
  }
}
