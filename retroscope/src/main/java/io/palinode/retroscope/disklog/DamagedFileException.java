package io.palinode.retroscope.disklog;

import java.io.IOException;
import java.io.Serial;

/** Bytes in a file of the log are not what was written; times up to {@link #goodFrom} are lost. */
public final class DamagedFileException extends IOException {
  @Serial private static final long serialVersionUID = 1L;

  private final long goodFrom;

  /**
   * @param goodFrom where what follows the damage begins; {@link Long#MAX_VALUE}: nothing follows
   */
  DamagedFileException(String message, long goodFrom) {
    super(message);
    this.goodFrom = goodFrom;
  }

  /** Names the file. */
  static DamagedFileException in(LogVolume volume, long number, String why, long goodFrom) {
    return new DamagedFileException(
        "file %d of the window-log in %s is damaged: %s".formatted(number, volume.name(), why),
        goodFrom);
  }

  long goodFrom() {
    return goodFrom;
  }
}
