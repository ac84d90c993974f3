package io.palinode.voldemort.vp;

import org.jspecify.annotations.Nullable;

/** Voldemort's native protocols. Each adds to what the one before puts into a request. */
public enum VpVersion {
  VP0("vp0"),
  /** Whether the node is to route the request; what the stock Java client speaks by default. */
  VP1("vp1"),
  /** How the request is routed, as a byte. */
  VP2("vp2"),
  /** Transforms, which only views make use of. */
  VP3("vp3");

  private final String protocolName;

  VpVersion(String protocolName) {
    this.protocolName = protocolName;
  }

  /** The protocol that a client asks for by {@code name}; null for another one's name. */
  public static @Nullable VpVersion named(String name) {
    for (VpVersion version : values()) {
      if (version.protocolName().equals(name)) {
        return version;
      }
    }
    return null;
  }

  /** What a client sends first, three ASCII bytes. */
  public String protocolName() {
    return protocolName;
  }

  boolean hasRouted() {
    return compareTo(VP1) >= 0;
  }

  boolean hasRoute() {
    return compareTo(VP2) >= 0;
  }

  boolean hasTransforms() {
    return compareTo(VP3) >= 0;
  }
}
