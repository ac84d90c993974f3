package io.palinode.retroscope;

import java.io.IOException;
import java.io.Serial;

/** Bytes in a file of the log are not what was written; times up to {@link #goodFrom} are lost. */
final class DamagedFileException extends IOException {
  @Serial private static final long serialVersionUID = 1L;

  private final long goodFrom;

  /**
   * @param goodFrom where what follows the damage begins; {@link Long#MAX_VALUE}: nothing follows
   */
  DamagedFileException(String message, long goodFrom) {
    super(message);
    this.goodFrom = goodFrom;
  }

  long goodFrom() {
    return goodFrom;
  }
}
