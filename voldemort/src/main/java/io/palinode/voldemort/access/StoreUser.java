package io.palinode.voldemort.access;

import java.util.HashSet;
import java.util.Set;

/**
 * A client of a node, by its certificate.
 *
 * @param name the first part of its client ids
 */
public record StoreUser(String name, Set<Grant> rights) {
  /** A client of a node without users; also another node. */
  public static final StoreUser ANY =
      new StoreUser("", Set.of(new Grant(Right.NODE, Grant.ALL_STORES)));

  /** A client whose certificate is no user's. */
  static final StoreUser UNKNOWN = new StoreUser("", Set.of());

  /**
   * A right for one store, or for all.
   *
   * @param store {@link #ALL_STORES} or the name of a store
   */
  record Grant(Right right, String store) {
    static final String ALL_STORES = "";
    private static final String OF = ":";

    /** Such as {@code read} or {@code read:carts}. Throws {@link IllegalArgumentException}. */
    static Grant parse(String text) {
      String[] parts = text.split(OF, 2);
      Right right = Right.of(parts[0]);
      if (parts.length == 1) {
        return new Grant(right, ALL_STORES);
      }
      if (right == Right.NODE || parts[1].isEmpty()) {
        throw new IllegalArgumentException(
            right == Right.NODE
                ? "the right 'node' is of all stores: '%s'".formatted(text)
                : "a right for one store is '%s:<store>': '%s'".formatted(parts[0], text));
      }
      return new Grant(right, parts[1]);
    }
  }

  /** The user of a line. Throws {@link IllegalArgumentException}. */
  static StoreUser parse(String name, String rights) {
    Set<Grant> grants = new HashSet<>();
    for (String grant : rights.split(",", -1)) {
      grants.add(Grant.parse(grant));
    }
    return new StoreUser(name, Set.copyOf(grants));
  }

  /**
   * @param store empty: of no single store, so only a right for all stores counts
   */
  public boolean may(Right right, String store) {
    return has(right) || rights.contains(new Grant(right, store)) || has(Right.NODE);
  }

  private boolean has(Right right) {
    return rights.contains(new Grant(right, Grant.ALL_STORES));
  }

  public boolean isUnknown() {
    return rights.isEmpty();
  }

  /** Whether requests of this user may name this client. */
  public boolean owns(String client) {
    return client.isEmpty()
        || has(Right.NODE)
        || client.equals(name)
        || client.startsWith(name + "/");
  }
}
