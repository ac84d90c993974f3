package io.palinode.cassandra.memtable;

import org.apache.cassandra.exceptions.OverloadedException;

/** Thrown for a mutation during a rollback. The node changed nothing. Has no stack trace. */
final class PausedException extends OverloadedException {
  private static final long serialVersionUID = 1;

  PausedException() {
    super("a rollback pauses the writes of watched tables: try again");
  }

  // Cassandra logs each failed mutation.
  @Override
  public Throwable fillInStackTrace() {
    return this;
  }
}
