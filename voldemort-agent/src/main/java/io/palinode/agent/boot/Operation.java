package io.palinode.agent.boot;

/** What a woven method does, of a storage engine as a rule. */
public enum Operation {
  /** {@code BdbStorageEngine.get} and {@code InMemoryStorageEngine.get}. */
  GET,
  BDB_PUT,
  BDB_DELETE,
  BDB_LOCK,
  BDB_PUT_AND_UNLOCK,
  BDB_RELEASE,
  BDB_TRUNCATE,
  /** Any change of one key; under the engine's monitor. */
  MEMORY_WRITE,
  /** All keys go; under the engine's monitor. */
  MEMORY_CLEAR,
  /** The job that delivers hints reads the next one: its cursor takes the place of an engine. */
  HINT_TO_PUSH,
  /** What a client asks its cluster: its store takes the place of an engine. */
  ROUTED;

  /** Whoever has locked a record is in the node, and must get out also when all else is off. */
  public boolean endsLock() {
    return this == BDB_PUT_AND_UNLOCK || this == BDB_RELEASE;
  }
}
