package io.palinode.voldemort.vp;

import org.jspecify.annotations.Nullable;

/** Voldemort's native protocols. Each adds a field to the requests of the one before. */
public enum VpVersion {
  VP0("vp0"),
  /** Adds a flag that asks the node to route. The stock Java client's default. */
  VP1("vp1"),
  /** Adds the route type as a byte. */
  VP2("vp2"),
  /** Adds transforms, which only views use. */
  VP3("vp3");

  private final String protocolName;

  VpVersion(String protocolName) {
    this.protocolName = protocolName;
  }

  /** The protocol with this name; null for another name. */
  public static @Nullable VpVersion named(String name) {
    for (VpVersion version : values()) {
      if (version.protocolName().equals(name)) {
        return version;
      }
    }
    return null;
  }

  /** What a client sends first, three ASCII bytes. */
  String protocolName() {
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
