package io.palinode.voldemort.bdb;

import java.io.Serial;
import org.jspecify.annotations.Nullable;

/** A data folder cannot be used: the message is one sentence with the way out. */
public final class DataFolderException extends RuntimeException {
  @Serial private static final long serialVersionUID = 1L;

  DataFolderException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
