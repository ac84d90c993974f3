package io.palinode.retroscope.snapshot.file;

import java.io.Serial;
import org.jspecify.annotations.Nullable;

/** A snapshot cannot be taken or read: one sentence that says why. */
public sealed class SnapshotException extends RuntimeException
    permits HalfUndoneException, StrangeSnapshotsException {
  @Serial private static final long serialVersionUID = 1L;

  public SnapshotException(String message) {
    this(message, null);
  }

  public SnapshotException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
