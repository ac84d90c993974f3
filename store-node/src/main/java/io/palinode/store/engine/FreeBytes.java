package io.palinode.store.engine;

import java.io.File;
import java.util.Collection;
import java.util.OptionalLong;

/** The free space of file systems, for this process. */
public final class FreeBytes {
  private FreeBytes() {}

  /** The least of the file systems that have {@code folders}. Empty if that of one is unknown. */
  public static OptionalLong least(Collection<File> folders) {
    long least = Long.MAX_VALUE;
    for (File folder : folders) {
      OptionalLong free = in(folder);
      if (free.isEmpty()) {
        return free;
      }
      least = Math.min(least, free.getAsLong());
    }
    return folders.isEmpty() ? OptionalLong.empty() : OptionalLong.of(least);
  }

  /** Of the file system that has {@code folder}, or will have it. Empty: unknown. */
  public static OptionalLong in(File folder) {
    // 0 for an absent folder, and for a file system that does not report its space.
    if (folder.getTotalSpace() > 0) {
      return OptionalLong.of(folder.getUsableSpace());
    }
    File parent = folder.exists() ? null : folder.getAbsoluteFile().getParentFile();
    return parent == null ? OptionalLong.empty() : in(parent);
  }
}
