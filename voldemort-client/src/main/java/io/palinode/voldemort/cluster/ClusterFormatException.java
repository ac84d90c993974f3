package io.palinode.voldemort.cluster;

import java.io.Serial;

/** cluster.xml or stores.xml is wrong; the message begins with {@code <file>:<line>: }. */
public final class ClusterFormatException extends IllegalArgumentException {
  @Serial private static final long serialVersionUID = 1L;

  ClusterFormatException(String file, int line, String reason, Throwable cause) {
    super(file + ":" + line + ": " + reason, cause);
  }

  ClusterFormatException(String file, int line, String reason) {
    super(file + ":" + line + ": " + reason);
  }
}
