package io.palinode.cli.terminal;

import java.io.Serial;

/**
 * The user asked for something that cannot be done as asked: one sentence with the way out, exit
 * status 2.
 */
public final class Refusal extends RuntimeException {
  @Serial private static final long serialVersionUID = 1L;

  public Refusal(String message) {
    super(message);
  }

  public Refusal(String message, Throwable cause) {
    super(message, cause);
  }
}
