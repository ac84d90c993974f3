package io.palinode.voldemort.bdb;

import java.io.Serial;
import java.nio.file.Path;

/** Thrown if the disk has too little room for a node to start. Nothing was changed. */
public final class DiskFullException extends RuntimeException {
  @Serial private static final long serialVersionUID = 1L;
  private static final long MIB = 1L << 20;

  DiskFullException(Path folder, long freeBytes, long freeBytesMin) {
    super(
        "the file system of the data folder %s has %,d MiB free, and a node needs at least %,d MiB to start: make room there, or choose another folder"
            .formatted(folder, freeBytes / MIB, freeBytesMin / MIB));
  }
}
