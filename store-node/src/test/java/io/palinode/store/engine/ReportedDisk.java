package io.palinode.store.engine;

import java.io.File;
import java.nio.file.Path;

/** A folder of a file system that reports so many free bytes. */
public final class ReportedDisk extends File {
  /** The file system does not report its space. */
  public static final long UNKNOWN = -1;

  private static final long serialVersionUID = 1;

  private final long free;

  public ReportedDisk(Path folder, long free) {
    super(folder.toString());
    this.free = free;
  }

  @Override
  public long getTotalSpace() {
    return free == UNKNOWN ? 0 : Long.MAX_VALUE;
  }

  @Override
  public long getUsableSpace() {
    return free == UNKNOWN ? 0 : free;
  }
}
