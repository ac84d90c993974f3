package io.palinode.voldemort.bdb;

import java.io.Serial;
import org.jspecify.annotations.Nullable;

/** Thrown for a data folder that cannot be used. The message is one sentence with the way out. */
public final class DataFolderException extends RuntimeException {
  @Serial private static final long serialVersionUID = 1L;

  DataFolderException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }

  /** The folder differs from what was written, so the node must not serve it. */
  static DataFolderException damaged(String what, @Nullable Throwable cause) {
    return new DataFolderException(
        what
            + ": put the undamaged files back, or run 'palinode recover' on the data folder to"
            + " continue without the lost records",
        cause);
  }
}
