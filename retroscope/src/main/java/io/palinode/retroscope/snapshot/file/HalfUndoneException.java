package io.palinode.retroscope.snapshot.file;

import java.io.Serial;

/** A time lies within a rollback; the message names the nearest times that do not. */
public final class HalfUndoneException extends SnapshotException {
  @Serial private static final long serialVersionUID = 1L;

  public HalfUndoneException(String message) {
    super(message);
  }
}
