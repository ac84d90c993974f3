package io.palinode.agent.boot;

/** The kind of a woven method, mostly of a storage engine. */
public enum Operation {
  /** {@code BdbStorageEngine.get} and {@code InMemoryStorageEngine.get}. */
  GET,
  BDB_PUT,
  BDB_DELETE,
  BDB_LOCK,
  BDB_PUT_AND_UNLOCK,
  BDB_RELEASE,
  BDB_TRUNCATE,
  /** A change of one key, under the engine's monitor. */
  MEMORY_WRITE,
  /** A removal of all keys, under the engine's monitor. */
  MEMORY_CLEAR,
  /** The hint delivery job reads the next hint; its cursor stands for the engine. */
  HINT_TO_PUSH,
  /** An operation of a client on its cluster; the client's store stands for the engine. */
  ROUTED;

  /**
   * Whether the method ends a record lock. Its thread is in the node and must leave it, even if the
   * agent is off.
   */
  public boolean endsLock() {
    return this == BDB_PUT_AND_UNLOCK || this == BDB_RELEASE;
  }
}
