package io.palinode.voldemort.access;

import java.util.EnumSet;
import java.util.Set;

/**
 * A client of a node, by its certificate.
 *
 * @param name the first part of its client ids
 */
public record StoreUser(String name, Set<Right> rights) {
  /** A client of a node without users; also another node. */
  public static final StoreUser ANY = new StoreUser("", EnumSet.of(Right.NODE));

  /** A client whose certificate is no user's. */
  static final StoreUser UNKNOWN = new StoreUser("", EnumSet.noneOf(Right.class));

  public boolean may(Right right) {
    return rights.contains(right) || rights.contains(Right.NODE);
  }

  public boolean isUnknown() {
    return rights.isEmpty();
  }

  /** Whether requests of this user may name this client. */
  public boolean owns(String client) {
    return client.isEmpty()
        || rights.contains(Right.NODE)
        || client.equals(name)
        || client.startsWith(name + "/");
  }
}
