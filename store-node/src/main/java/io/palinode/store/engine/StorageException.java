package io.palinode.store.engine;

import java.io.Serial;

/** Thrown when the medium of a {@link StorageEngine} fails. Nothing was committed. */
public final class StorageException extends RuntimeException {
  @Serial private static final long serialVersionUID = 1L;

  public StorageException(String message, Throwable cause) {
    super(message, cause);
  }
}
