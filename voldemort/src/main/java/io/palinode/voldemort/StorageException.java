package io.palinode.voldemort;

import java.io.Serial;

/** The medium of a {@link StorageEngine} failed; what was to be committed is not. */
public final class StorageException extends RuntimeException {
  @Serial private static final long serialVersionUID = 1L;

  public StorageException(String message, Throwable cause) {
    super(message, cause);
  }
}
