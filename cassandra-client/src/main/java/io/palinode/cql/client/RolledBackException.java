package io.palinode.cql.client;

import java.io.Serial;

/**
 * Thrown by each request of an epoch that a rollback ended. The work after the target has to be
 * done again, from what the program reads now.
 */
public final class RolledBackException extends RuntimeException {
  @Serial private static final long serialVersionUID = 1L;
  private final transient RolledBack rolledBack;

  RolledBackException(RolledBack rolledBack) {
    super("the store was rolled back: " + rolledBack);
    this.rolledBack = rolledBack;
  }

  public RolledBack rolledBack() {
    return rolledBack;
  }
}
