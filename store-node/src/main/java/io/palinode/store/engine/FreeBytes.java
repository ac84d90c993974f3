package io.palinode.store.engine;

import java.io.File;

/** The free space of a file system. */
public final class FreeBytes {
  /** No limit is known. */
  public static final long UNKNOWN = Long.MAX_VALUE;

  private FreeBytes() {}

  /** For this process, of the file system that has {@code folder}. One system call. */
  public static long in(File folder) {
    // 0 and 0: the file system does not report its space.
    return folder.getTotalSpace() == 0 ? UNKNOWN : folder.getUsableSpace();
  }
}
