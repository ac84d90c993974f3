package io.palinode.store.engine;

import java.io.IOException;
import java.io.Serial;

/** Thrown when the medium of a {@link StorageEngine} fails. Nothing was committed. */
public final class StorageException extends RuntimeException {
  @Serial private static final long serialVersionUID = 1L;

  private final boolean full;

  public StorageException(String message, Throwable cause) {
    this(message, cause, false);
  }

  private StorageException(String message, Throwable cause, boolean full) {
    super(message, cause);
    this.full = full;
  }

  /** The file system has no room now. */
  public static StorageException full(String message) {
    return new StorageException(message, new IOException(message), true);
  }

  /** Whether the same change may succeed once the file system has room. */
  public boolean isFull() {
    return full;
  }
}
