package io.palinode.retroscope.snapshot;

import static io.palinode.retroscope.snapshot.MapHistory.bytes;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.palinode.retroscope.snapshot.file.Entry;
import io.palinode.retroscope.snapshot.file.Kind;
import io.palinode.retroscope.snapshot.file.Manifest;
import io.palinode.retroscope.snapshot.file.Part;
import io.palinode.retroscope.snapshot.file.Ref;
import io.palinode.retroscope.snapshot.file.Run;
import io.palinode.retroscope.snapshot.file.RunReader;
import io.palinode.retroscope.snapshot.file.RunWriter;
import io.palinode.retroscope.snapshot.file.SnapshotException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The bytes of every file, as they were shipped. */
class FormatsTest {
  private static final Part PART =
      new Part(
          new Ref("s", 7),
          5,
          Kind.INCREMENTAL,
          2,
          new Ref("base", 6),
          List.of("one", "two"),
          11,
          3,
          List.of(new Run("run-7-0", 3, 99, 0x01020304)));
  private static final Manifest MANIFEST =
      new Manifest(
          new Ref("s", 7),
          5,
          Kind.INSTANT,
          Ref.NONE,
          List.of(
              new Manifest.Member(0, 11, 99, 0x01020304, ""),
              new Manifest.Member(1, 0, 0, 0, "away")));

  @TempDir Path folder;

  @Test
  void aPartIsTheseBytes() {
    assertThat(hex(PART.encode())).isEqualTo(PART_GOLDEN);
    assertThat(Part.decode("it", PART.encode())).isEqualTo(PART);
  }

  @Test
  void aManifestIsTheseBytes() {
    assertThat(hex(MANIFEST.encode())).isEqualTo(MANIFEST_GOLDEN);
    assertThat(Manifest.decode("it", MANIFEST.encode())).isEqualTo(MANIFEST);
    assertThat(MANIFEST.isComplete()).isFalse();
    assertThat(MANIFEST.isHeldBy(0)).isTrue();
    assertThat(MANIFEST.isHeldBy(1)).isFalse();
  }

  @Test
  void aRunIsTheseBytes() throws IOException {
    Run run;
    try (RunWriter writer = new RunWriter(folder.resolve("run-7-0"), RoomTest.PLENTY)) {
      writer.add(0, new Entry(bytes("a"), bytes("1")));
      writer.add(1, new Entry(bytes("a"), null));
      run = writer.finish();
    }
    assertThat(hex(Files.readAllBytes(folder.resolve("run-7-0")))).isEqualTo(RUN_GOLDEN);
    assertThat(run.bytes()).isEqualTo(RUN_GOLDEN.length() / 2);
    try (RunReader reader = RunReader.open(folder, run)) {
      assertThat(requireNonNull(reader.find(0, bytes("a"))).record()).isEqualTo(bytes("1"));
      assertThat(requireNonNull(reader.find(1, bytes("a"))).record()).isNull();
      assertThat(reader.find(1, bytes("b"))).isNull();
    }
  }

  @Test
  void anotherVersionIsRefusedByItsNumber() {
    byte[] next = PART.encode();
    next[4] = 2;
    assertThatThrownBy(() -> Part.decode("the part", next))
        .isInstanceOf(SnapshotException.class)
        .hasMessage("the part must be of format 1: found 2");
    assertThatThrownBy(() -> Manifest.decode("the manifest", PART.encode()))
        .isInstanceOf(SnapshotException.class)
        .hasMessageContaining("does not begin with PLNM");
  }

  @Test
  void aKeyIsFoundInARunOfManyBlocks() throws IOException {
    Run run;
    byte[] value = new byte[10_000];
    try (RunWriter writer = new RunWriter(folder.resolve("run-1-0"), RoomTest.PLENTY)) {
      for (int store = 0; store < 3; store++) {
        for (int i = 0; i < 100; i += 2) {
          writer.add(store, new Entry(bytes("k%03d".formatted(i)), value));
        }
      }
      run = writer.finish();
    }
    try (RunReader reader = RunReader.open(folder, run)) {
      for (int store = 0; store < 3; store++) {
        for (int i = 0; i < 100; i++) {
          byte[] key = bytes("k%03d".formatted(i));
          assertThat(reader.find(store, key) != null).as("%d %d", store, i).isEqualTo(i % 2 == 0);
          List<Entry> next = reader.page(store, key, 1);
          assertThat(next.isEmpty()).isEqualTo(i >= 98);
          if (i < 98) {
            assertThat(next.get(0).key()).isEqualTo(bytes("k%03d".formatted(i + 2 - i % 2)));
          }
        }
      }
      assertThat(reader.find(3, bytes("k000"))).isNull();
    }
  }

  @Test
  void entriesOutOfOrderAreRefused() throws IOException {
    try (RunWriter writer = new RunWriter(folder.resolve("run-1-0"), RoomTest.PLENTY)) {
      writer.add(1, new Entry(new byte[] {(byte) 0x80}, null));
      assertThatThrownBy(() -> writer.add(1, new Entry(new byte[] {0x7f}, null)))
          .isInstanceOf(IllegalArgumentException.class);
      assertThatThrownBy(() -> writer.add(0, new Entry(new byte[] {(byte) 0x81}, null)))
          .isInstanceOf(IllegalArgumentException.class);
    }
  }

  private static String hex(byte[] bytes) {
    return HexFormat.of().formatHex(bytes);
  }

  private static final String PART_GOLDEN =
      "504c4e50010000000000000007000000000000000503000000020000000173"
          + "0000000462617365000000000000000600000002000000036f6e650000000374776f"
          + "000000000000000b0000000000000003000000010000000772756e2d372d30"
          + "0000000000000003000000000000006301020304ab05fb5b";
  private static final String MANIFEST_GOLDEN =
      "504c4e4d010000000000000007000000000000000501000000017300000000000000000000000000000002"
          + "00000000000000000000000b0000000000000063010203040000000000000001000000000000000000000000"
          + "00000000000000000000000461776179f942f410";
  private static final String RUN_GOLDEN =
      "504c4e520100000000000161000000013100010000000161ffffffff0000000000000002"
          + "0000000100000000000161000000000000000500000017d9f8685c000000232e1ab5fe";
}
