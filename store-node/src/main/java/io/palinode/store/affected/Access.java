package io.palinode.store.affected;

/**
 * One read or write of a key by a client at one node.
 *
 * @param hlc the node's clock then; of a read, after all versions that it returned
 * @param key a hash of the store and the key
 * @param write a hash of the written version, the same for its copies; of a read 0
 * @param client its id; empty: it sent none, or, with a copy, it is not the writer but a reader
 *     that repaired the node
 */
public record Access(Kind kind, long hlc, long key, long write, String client) {
  /** Ways to use a key. */
  public enum Kind {
    READ,
    /** A put or a delete, at the first node that accepted it. */
    WRITE,
    /** The same at another node, later. */
    COPY
  }

  public static Access read(long hlc, long key, String client) {
    return new Access(Kind.READ, hlc, key, 0, client);
  }
}
