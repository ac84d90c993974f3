package io.palinode.terminal;

import java.io.Serial;

/**
 * Something that the command needs does not work or does not answer: one sentence with the way out,
 * exit status 1. The arguments are right, and no defect is shown.
 */
public final class Outage extends RuntimeException {
  @Serial private static final long serialVersionUID = 1L;

  public Outage(String message) {
    super(message);
  }

  public Outage(String message, Throwable cause) {
    super(message, cause);
  }
}
