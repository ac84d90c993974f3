package io.palinode.voldemort.client.session;

import java.io.Serial;

/**
 * Thrown once per client and rollback: by each call that was under way when its epoch ended, or, if
 * there was none, by the next one. The work after the target has to be done again.
 */
public final class RolledBackException extends RuntimeException {
  @Serial private static final long serialVersionUID = 1L;
  private final transient RolledBack rolledBack;

  public RolledBackException(RolledBack rolledBack) {
    super("the store was rolled back: " + rolledBack);
    this.rolledBack = rolledBack;
  }

  public RolledBack rolledBack() {
    return rolledBack;
  }
}
