package io.palinode.examples.graph.run;

import java.io.Serial;

/** A client failed, and with it the run; the cause is the client's. */
public final class RunFailedException extends RuntimeException {
  @Serial private static final long serialVersionUID = 1L;

  RunFailedException(int client, Throwable cause) {
    super("client " + client + " of the colouring failed: " + cause.getMessage(), cause);
  }
}
