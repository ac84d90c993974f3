package io.palinode.retroscope.snapshot.file;

import java.io.Serial;
import java.nio.file.Path;

/** A taking on the disk was ordered by another control log than the one that was read. */
public final class StrangeSnapshotsException extends SnapshotException {
  @Serial private static final long serialVersionUID = 1L;

  public StrangeSnapshotsException(Path folder, long number, long last) {
    super(
        "%s has taking %d of a snapshot, but the control log has ordered none after %d: it is not the one that belongs to the data. Start the node with that, or move the folder away"
            .formatted(folder, number, last));
  }
}
