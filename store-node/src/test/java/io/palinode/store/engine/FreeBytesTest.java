package io.palinode.store.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.palinode.store.conformance.PassingEngine;
import java.io.File;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FreeBytesTest {
  @TempDir private Path folder;

  @Test
  void theFullestDiskCounts() {
    File some = new ReportedDisk(folder, 9);
    File fewer = new ReportedDisk(folder, 7);
    assertThat(FreeBytes.least(List.of(some, fewer, some))).hasValue(7);
  }

  @Test
  void oneUnknownDiskMayBeTheFullest() {
    File unknown = new ReportedDisk(folder, ReportedDisk.UNKNOWN);
    assertThat(FreeBytes.least(List.of(new ReportedDisk(folder, 9), unknown))).isEmpty();
    assertThat(FreeBytes.least(List.of())).isEmpty();
  }

  @Test
  void anAbsentFolderIsMeasuredWhereItWillBe() {
    assertThat(FreeBytes.in(folder.resolve("absent").resolve("too").toFile())).isPresent();
  }

  @Test
  void theFullestDiskOfRecordsAndWindowLogsCounts() {
    File logs = new ReportedDisk(folder, 7);
    assertThat(new SplitEngine(disk(OptionalLong.of(9)), List.of(), logs).freeBytes()).hasValue(7);
    assertThat(new SplitEngine(disk(OptionalLong.of(5)), List.of(), logs).freeBytes()).hasValue(5);
    assertThat(new SplitEngine(disk(OptionalLong.empty()), List.of(), logs).freeBytes()).isEmpty();
  }

  private static StorageEngine disk(OptionalLong free) {
    return new PassingEngine(new MemoryEngine(List.of())) {
      @Override
      public OptionalLong freeBytes() {
        return free;
      }
    };
  }
}
