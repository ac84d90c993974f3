package io.palinode.voldemort.server;

import java.io.Serial;

/** Thrown if a node cannot listen at its address. The message is one sentence with the way out. */
public final class ListenException extends RuntimeException {
  @Serial private static final long serialVersionUID = 1L;

  ListenException(String host, int port, Throwable cause) {
    super(
        "port %d of %s cannot be listened on (%s): stop what uses it or give the node another socket-port in cluster.xml"
            .formatted(port, host, cause.getMessage()),
        cause);
  }
}
