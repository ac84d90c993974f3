package io.palinode.launcher.embedded;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.EOFException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Random;
import org.apache.flink.core.fs.FSDataInputStream;
import org.apache.flink.core.fs.FSDataOutputStream;
import org.apache.flink.core.fs.FileStatus;
import org.apache.flink.core.fs.FileSystem;
import org.apache.flink.core.fs.FileSystem.WriteMode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SealedFilesTest {
  private static final int GREAT_BYTES = 200_001;

  @TempDir Path folder;

  private static org.apache.flink.core.fs.Path flink(Path file) {
    return new org.apache.flink.core.fs.Path(SealedFiles.address(file));
  }

  static void write(Path file, byte[] content) throws IOException {
    FileSystem files = flink(file).getFileSystem();
    try (FSDataOutputStream out = files.create(flink(file), WriteMode.NO_OVERWRITE)) {
      assertThat(out.getPos()).isZero();
      out.write(content[0]);
      out.write(content, 1, content.length - 1);
      assertThat(out.getPos()).isEqualTo(content.length);
    }
  }

  private static byte[] read(Path file) throws IOException {
    try (FSDataInputStream in = flink(file).getFileSystem().open(flink(file))) {
      return in.readAllBytes();
    }
  }

  @Test
  void theFileHasGoldenBytes() throws IOException {
    Path file = folder.resolve("file");
    write(file, "123456789".getBytes(US_ASCII));
    assertThat(HexFormat.of().formatHex(Files.readAllBytes(file)))
        .isEqualTo("505345414c454401" + "313233343536373839" + "e3069283");
  }

  @Test
  void aFileIsReadFromAnyPositionToItsEnd() throws IOException {
    byte[] content = new byte[GREAT_BYTES];
    new Random(1).nextBytes(content);
    Path file = folder.resolve("a b");
    write(file, content);
    assertThat(read(file)).isEqualTo(content);
    FileStatus status = flink(file).getFileSystem().getFileStatus(flink(file));
    assertThat(status.getLen()).isEqualTo(GREAT_BYTES);
    assertThat(status.getPath().getFileSystem()).isInstanceOf(SealedFiles.class);
    try (FSDataInputStream in = status.getPath().getFileSystem().open(status.getPath())) {
      in.seek(GREAT_BYTES - 3);
      assertThat(in.getPos()).isEqualTo(GREAT_BYTES - 3);
      assertThat(in.available()).isEqualTo(3);
      assertThat(in.readAllBytes())
          .isEqualTo(Arrays.copyOfRange(content, GREAT_BYTES - 3, GREAT_BYTES));
      assertThat(in.read()).isEqualTo(-1);
    }
  }

  @Test
  void eachFlippedBitAndEachCutIsRefusedWithTheFile() throws IOException {
    Path file = folder.resolve("file");
    byte[] content = new byte[100];
    new Random(2).nextBytes(content);
    write(file, content);
    byte[] whole = Files.readAllBytes(file);
    for (int bit = 0; bit < whole.length * 8; bit++) {
      byte[] flipped = whole.clone();
      flipped[bit / 8] ^= (byte) (1 << bit % 8);
      assertRefused(file, flipped);
    }
    for (int length = 0; length < whole.length; length++) {
      assertRefused(file, Arrays.copyOf(whole, length));
    }
    assertRefused(file, Arrays.copyOf(whole, whole.length + 1));
    System.out.printf(
        "checkpoint file: flips %d, cuts %d, refused all%n", whole.length * 8, whole.length);
  }

  private static void assertRefused(Path file, byte[] damaged) throws IOException {
    Files.write(file, damaged);
    assertThatThrownBy(() -> read(file))
        .isInstanceOf(IOException.class)
        .isNotInstanceOf(EOFException.class)
        .hasMessage("the file %s is damaged or incomplete".formatted(file));
  }
}
