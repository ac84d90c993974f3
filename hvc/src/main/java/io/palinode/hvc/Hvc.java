package io.palinode.hvc;

import java.util.Arrays;

/**
 * A hybrid vector clock reading: one {@link Hlc} timestamp for each node. Immutable.
 *
 * <p>{@code owner} is the node whose clock was read, or {@link #NO_OWNER} for what a client knows
 * (clients are not entries).
 */
public final class Hvc {
  public static final int NO_OWNER = -1;
  public static final int NODES_MAX = 4096;

  private final int owner;
  private final long[] entries;

  private Hvc(int owner, long[] entries) {
    this.owner = owner;
    this.entries = entries;
  }

  /** Copies {@code entries}. {@code owner} is a node's index or {@link #NO_OWNER}. */
  public static Hvc of(int owner, long... entries) {
    if (entries.length == 0 || entries.length > NODES_MAX) {
      throw new IllegalArgumentException(
          "nodes must be in [1, " + NODES_MAX + "]: nodes=" + entries.length);
    }
    if (owner < NO_OWNER || owner >= entries.length) {
      throw new IllegalArgumentException(
          "owner must be in [-1, " + (entries.length - 1) + "]: owner=" + owner);
    }
    for (long entry : entries) {
      if (entry < 0) {
        throw new IllegalArgumentException(
            "an entry must not be negative: entries=" + Arrays.toString(entries));
      }
    }
    return new Hvc(owner, entries.clone());
  }

  /** The HVC of a client before its first response: zero everywhere. */
  public static Hvc unknown(int nodes) {
    return of(NO_OWNER, new long[nodes]);
  }

  public int owner() {
    return owner;
  }

  /** The owner's own timestamp. Throws {@link IllegalStateException} when there is no owner. */
  public long own() {
    if (owner == NO_OWNER) {
      throw new IllegalStateException("a client's HVC has no own timestamp");
    }
    return entries[owner];
  }

  public long get(int node) {
    return entries[node];
  }

  public int nodes() {
    return entries.length;
  }

  /** The same knowledge of the others, at another own time. */
  public Hvc withOwn(long hlc) {
    long[] moved = entries.clone();
    moved[owner] = hlc;
    return of(owner, moved);
  }

  /** The owner's clock at {@code own}, when no entry is below {@code floor}. O(n). */
  public Hvc raisedTo(long own, long floor) {
    if (own < 0) {
      throw new IllegalArgumentException("an entry must not be negative: own=" + own);
    }
    long[] raised = new long[entries.length];
    for (int node = 0; node < raised.length; node++) {
      raised[node] = Math.max(entries[node], floor);
    }
    raised[owner] = own;
    return new Hvc(owner, raised);
  }

  /** The entry-wise maximum, without an owner: how a client merges a response. O(n). */
  public Hvc merge(Hvc other) {
    requireSameSize(other);
    long[] merged = new long[entries.length];
    for (int i = 0; i < merged.length; i++) {
      merged[i] = Math.max(entries[i], other.entries[i]);
    }
    return new Hvc(NO_OWNER, merged);
  }

  /**
   * {@code this < other}: every entry is at most the other's, and one is less. Early exit, O(n).
   */
  public boolean isBefore(Hvc other) {
    requireSameSize(other);
    boolean less = false;
    for (int i = 0; i < entries.length; i++) {
      if (entries[i] > other.entries[i]) {
        return false;
      }
      less |= entries[i] < other.entries[i];
    }
    return less;
  }

  /**
   * Whether each later reading of this one's owner is after {@code other}: no entry of {@code
   * other} is greater than the same one here, or than the own one. False for another size. O(n).
   */
  boolean includes(Hvc other) {
    if (entries.length != other.entries.length) {
      return false;
    }
    long own = own();
    for (int i = 0; i < entries.length; i++) {
      if (other.entries[i] > entries[i] || other.entries[i] > own) {
        return false;
      }
    }
    return true;
  }

  private void requireSameSize(Hvc other) {
    if (entries.length != other.entries.length) {
      throw new IllegalArgumentException(
          "clocks of one cluster have one size: nodes="
              + entries.length
              + " and "
              + other.entries.length);
    }
  }

  @Override
  public boolean equals(Object o) {
    return o instanceof Hvc other && owner == other.owner && Arrays.equals(entries, other.entries);
  }

  @Override
  public int hashCode() {
    return 31 * owner + Arrays.hashCode(entries);
  }

  /** {@code node1[1000, 980.3, 990]}, in the text form of {@link Hlc}. */
  @Override
  public String toString() {
    StringBuilder text =
        new StringBuilder(owner == NO_OWNER ? "client" : "node" + owner).append('[');
    for (int i = 0; i < entries.length; i++) {
      text.append(i == 0 ? "" : ", ").append(Hlc.format(entries[i]));
    }
    return text.append(']').toString();
  }
}
