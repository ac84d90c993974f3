package io.palinode.tls;

import java.io.Serial;

/** Thrown when the files of TLS cannot be used. The message names the file and the way out. */
public final class TlsException extends RuntimeException {
  @Serial private static final long serialVersionUID = 1L;

  TlsException(String message, Throwable cause) {
    super(message, cause);
  }

  TlsException(String message) {
    super(message);
  }
}
