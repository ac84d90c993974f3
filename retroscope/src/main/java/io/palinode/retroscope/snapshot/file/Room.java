package io.palinode.retroscope.snapshot.file;

import io.palinode.retroscope.disklog.DiskBound;
import java.nio.file.Path;
import java.util.Objects;
import java.util.function.ToLongFunction;

/**
 * What snapshots leave of the disk. The window-log gives back its oldest files while too little is
 * free, and the store takes no writes when nothing is: so a snapshot fails before either.
 *
 * @param free what can still be written on the disk of a folder, in bytes
 * @param leftBytes so much stays free
 */
public record Room(ToLongFunction<Path> free, long leftBytes) {
  /**
   * What the window-log leaves, and besides what takings at once write before they look again, and
   * files that window-logs begin.
   */
  static final long LEFT_BYTES_DEFAULT = DiskBound.FREE_BYTES_MIN_DEFAULT + (256L << 20);

  public static Room ofTheDisk() {
    return new Room(folder -> folder.toFile().getUsableSpace(), LEFT_BYTES_DEFAULT);
  }

  /**
   * Throws {@link SnapshotException} when less would be left than is to be.
   *
   * @param bytes that are going to be written into {@code file}
   */
  void require(Path file, long bytes) {
    long now = free.applyAsLong(Objects.requireNonNull(file.getParent()));
    if (now - bytes < leftBytes) {
      throw new SnapshotException(
          "the disk has %d bytes free, and a snapshot leaves %d: make room, or delete some snapshots"
              .formatted(now, leftBytes));
    }
  }
}
