package io.palinode.voldemort.client.session;

import java.io.Serial;

/**
 * A rollback paused the nodes for longer than a call waits. The rollback may be halted. A write
 * that failed so may stand, if it began before the pause.
 */
public final class PausedException extends StoreException {
  @Serial private static final long serialVersionUID = 1L;
  private final long epoch;

  public PausedException(String message, long epoch) {
    super(message);
    this.epoch = epoch;
  }

  /** The epoch that the rollback opens, which is its ID. */
  public long epoch() {
    return epoch;
  }
}
