package io.palinode.agent.client;

/** What tests ask of a stand-in for the client's store, which another loader has loaded. */
public interface StandInStore {
  void get(String key);

  void getAll(String key);

  void getVersions(String key);

  /** To the first node, then copies to the others. */
  void put(String key);

  void delete(String key);

  /** The last copy is given up, and a hint of it is left at the first node. */
  void copyTimesOut();

  /**
   * The same for a copy that was never sent; what {@code meanwhile} does is done before the hint.
   */
  void copyIsNotSent(Runnable meanwhile);

  /**
   * A get of {@code key} that finds it at {@code readAt} alone, and puts it to the other nodes
   * before the node that it asks otherwise is asked.
   */
  void getAndRepair(String key, int readAt);

  /** A get of {@code key} during which the thread does something else too. */
  void getWhile(String key, Runnable meanwhile);
}
