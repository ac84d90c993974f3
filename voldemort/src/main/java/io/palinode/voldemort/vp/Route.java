package io.palinode.voldemort.vp;

import org.jspecify.annotations.Nullable;

/** The route type of a request, in all protocols. */
public enum Route {
  /** The node serves its own keys, and refuses others. */
  NORMAL(0),
  /** The node forwards the request to the replicas of the key. */
  ROUTED(1),
  /** The node serves any key from its own records. */
  IGNORE_CHECKS(2);

  private final int code;

  Route(int code) {
    this.code = code;
  }

  /** The route with this code; null for an unknown code. */
  public static @Nullable Route of(int code) {
    for (Route route : values()) {
      if (route.code == code) {
        return route;
      }
    }
    return null;
  }

  /** For a protocol that has only these two. */
  public static Route of(boolean routed) {
    return routed ? ROUTED : NORMAL;
  }
}
