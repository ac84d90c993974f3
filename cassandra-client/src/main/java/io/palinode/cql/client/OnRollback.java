package io.palinode.cql.client;

/** What a session does with a request whose epoch a rollback ended. */
public enum OnRollback {
  /**
   * Sends it again in the new epoch, as for a client without a context. A request that was under
   * way may then run twice, and may write what the program computed from discarded values.
   */
  RETRY,

  /** Throws {@link RolledBackException}. The request is not applied in the new epoch. */
  THROW
}
