package io.palinode.retroscope.disklog;

import java.io.Serial;
import org.jspecify.annotations.Nullable;

/** A folder or file that is no window-log of ours; the message names it, and the way out. */
public final class DiskLogException extends RuntimeException {
  @Serial private static final long serialVersionUID = 1L;

  DiskLogException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
