package io.palinode.retroscope.snapshot;

import static io.palinode.retroscope.snapshot.MapHistory.bytes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.palinode.retroscope.disklog.DiskBound;
import io.palinode.retroscope.snapshot.file.Entry;
import io.palinode.retroscope.snapshot.file.Room;
import io.palinode.retroscope.snapshot.file.RunWriter;
import io.palinode.retroscope.snapshot.file.SnapshotException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RoomTest {
  /** A disk that is never full. */
  static final Room PLENTY = new Room(folder -> Long.MAX_VALUE, 0);

  private static final long DISK_BYTES = 20L << 20;
  private static final long LEFT_BYTES = 7L << 20;
  private static final byte[] RECORD = new byte[64 << 10];

  @TempDir Path folder;

  /** The file's bytes are not free. */
  private long free(Path of) {
    try {
      Path run = of.resolve("run-1-0");
      return DISK_BYTES - (Files.exists(run) ? Files.size(run) : 0);
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  @Test
  void aRunIsWrittenWhileThereIsRoomAndFailsWithTheReasonBeforeTooLittleIsLeft()
      throws IOException {
    Room room = new Room(this::free, LEFT_BYTES);
    try (RunWriter run = new RunWriter(folder.resolve("run-1-0"), room)) {
      assertThatThrownBy(
              () -> {
                for (int i = 0; i < DISK_BYTES / RECORD.length; i++) {
                  run.add(0, new Entry(bytes("k%04d".formatted(i)), RECORD));
                }
              })
          .isInstanceOf(SnapshotException.class)
          .hasMessageMatching(
              "the disk has \\d+ bytes free, and a snapshot leaves %d: .*".formatted(LEFT_BYTES));
    }
    // It could not have written as much again.
    assertThat(free(folder)).isBetween(LEFT_BYTES, LEFT_BYTES + RunWriter.UNSYNCED_BYTES_MAX);
  }

  @Test
  void noRunIsBegunWithoutRoom() {
    Room room = new Room(this::free, DISK_BYTES);
    assertThatThrownBy(() -> new RunWriter(folder.resolve("run-1-0"), room))
        .isInstanceOf(SnapshotException.class);
    assertThat(folder).isEmptyDirectory();
  }

  @Test
  void aSnapshotLeavesMoreRoomThanTheWindowLog() {
    Room room = Room.ofTheDisk();
    assertThat(room.leftBytes()).isEqualTo(DiskBound.FREE_BYTES_MIN_DEFAULT + (256L << 20));
    assertThat(room.free().applyAsLong(folder)).isPositive();
  }
}
