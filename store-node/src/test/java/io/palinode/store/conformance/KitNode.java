package io.palinode.store.conformance;

import io.palinode.store.binding.StoreBinding;

/** One incarnation of a node under test. */
public interface KitNode {
  StoreBinding binding();

  /**
   * Makes a write, or a copy of one that another node accepted first. Changes nothing if the node
   * has a later version. Any thread may call it.
   */
  void write(KitWrite write);

  /** Ends the node in order. */
  void close();

  /** Ends the node as {@code kill -9} does: only what is on its medium stays. */
  void kill();
}
