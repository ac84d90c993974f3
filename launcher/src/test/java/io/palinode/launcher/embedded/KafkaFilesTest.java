package io.palinode.launcher.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.record.MemoryRecords;
import org.apache.kafka.common.record.SimpleRecord;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A log of four batches of two records. */
class KafkaFilesTest {
  private static final int BATCHES = 4;
  private static final int EPOCH = 3;

  /** Of a batch: parts that no checksum covers. */
  private static final int OFFSET_BYTES = 8;

  private static final int EPOCH_AT = 12;
  private static final int EPOCH_END = 16;

  @TempDir Path folder;
  private byte[] log = {};
  private int batchBytes;

  @BeforeEach
  void write() throws IOException {
    ByteArrayOutputStream batches = new ByteArrayOutputStream();
    for (int i = 0; i < BATCHES; i++) {
      byte[] batch = batch(2L * i);
      batchBytes = batch.length;
      batches.writeBytes(batch);
    }
    log = batches.toByteArray();
    Files.createDirectories(partition());
    put(log);
  }

  @Test
  void wholeFilesStayAndIndexesGo() throws IOException {
    Files.write(partition().resolve("00000000000000000000.index"), new byte[8]);
    Files.write(partition().resolve("00000000000000000000.timeindex"), new byte[12]);
    served("topic 0 8");
    stoppedInOrder();
    files().prepare();
    assertThat(partition()).isDirectoryNotContaining("glob:**index");
    assertThat(Files.readAllBytes(file())).isEqualTo(log);
  }

  @Test
  void eachChangedBitIsFound() throws IOException {
    stoppedInOrder();
    List<Integer> hidden = new ArrayList<>();
    for (int at = 0; at < log.length; at++) {
      for (int bit = 0; bit < 8; bit++) {
        byte[] damaged = log.clone();
        damaged[at] ^= (byte) (1 << bit);
        put(damaged);
        if (!isRefused()) {
          hidden.add(at);
        }
      }
    }
    // With a lesser epoch of the first batch, and a greater one or offset of the last, it is valid.
    int last = log.length - batchBytes;
    assertThat(hidden).allMatch(at -> isEpoch(at) || isEpoch(at - last) || isOffset(at - last));
  }

  @Test
  void aLogThatWasCutIsFoundAfterAnOrderlyStop() throws IOException {
    stoppedInOrder();
    served("topic 0 8");
    for (int length = 0; length < log.length; length++) {
      put(Arrays.copyOf(log, length));
      assertThat(isRefused()).as("length %d", length).isTrue();
    }
  }

  @Test
  void aLogThatWasCutBehindServedRecordsIsFound() throws IOException {
    served("topic 0 4");
    for (int length = 0; length < log.length; length++) {
      put(Arrays.copyOf(log, length));
      assertThat(isRefused()).as("length %d", length).isEqualTo(length < 2 * batchBytes);
    }
  }

  @Test
  void aDamagedLengthIsNotTakenForAWriteThatDidNotEnd() throws IOException {
    byte[] damaged = log.clone();
    damaged[batchBytes + OFFSET_BYTES + 2] ^= 0x40;
    put(damaged);
    assertThatThrownBy(() -> files().prepare())
        .isInstanceOf(IOException.class)
        .hasMessageStartingWith(
            "Kafka's file %s is damaged at byte %d".formatted(file(), batchBytes));
  }

  @Test
  void onlyTheLastFileMayEndInTheMiddleOfABatch() throws IOException {
    put(Arrays.copyOf(log, log.length - 1));
    files().prepare();
    Files.write(partition().resolve("00000000000000000008.log"), batch(8));
    assertThat(isRefused()).isTrue();
  }

  /** On the heap it would take as much. */
  @Test
  void aRestThatIsLongerThanAnyBatchIsNotRead() throws IOException {
    put(Arrays.copyOf(log, log.length - 1));
    files().prepare();
    try (RandomAccessFile file = new RandomAccessFile(file().toFile(), "rw")) {
      // A sparse file: its length is 1 GiB, it takes no room.
      file.setLength(1 << 30);
      file.seek(3L * batchBytes + OFFSET_BYTES);
      file.writeInt(Integer.MAX_VALUE - 100);
    }
    assertThatThrownBy(() -> files().prepare())
        .isInstanceOf(IOException.class)
        .hasMessageContaining("is damaged at byte " + 3 * batchBytes);
  }

  /** A kill while Kafka's cleaner replaces files leaves them; Kafka renames them at its start. */
  @Test
  void eachChangedByteOfAFileThatReplacesOthersIsFound() throws IOException {
    stoppedInOrder();
    Files.write(partition().resolve("00000000000000000008.log"), batch(8));
    Path swap = partition().resolve("00000000000000000000.log.swap");
    Path index = partition().resolve("00000000000000000000.timeindex.swap");
    Files.write(swap, log);
    Files.write(index, new byte[12]);
    files().prepare();
    assertThat(swap).exists();
    assertThat(index).doesNotExist();
    int last = log.length - batchBytes;
    for (int at = 0; at < log.length; at++) {
      byte[] damaged = log.clone();
      damaged[at] ^= (byte) (1 << at % 8);
      Files.write(swap, damaged);
      boolean mayBe = isEpoch(at) || isEpoch(at - last);
      assertThat(isRefused() || mayBe).as("byte %d", at).isTrue();
    }
  }

  @Test
  void aDamagedListOfServedOffsetsIsNamed() throws IOException {
    served("topic 0 x");
    assertThatThrownBy(() -> files().prepare())
        .hasMessageContaining("replication-offset-checkpoint")
        .hasMessageContaining("topic 0 x");
  }

  private static boolean isEpoch(int atOfBatch) {
    return atOfBatch >= EPOCH_AT && atOfBatch < EPOCH_END;
  }

  private static boolean isOffset(int atOfBatch) {
    return atOfBatch >= 0 && atOfBatch < OFFSET_BYTES;
  }

  private static byte[] batch(long offset) {
    MemoryRecords records =
        MemoryRecords.withRecords(
            offset,
            Compression.NONE,
            EPOCH,
            new SimpleRecord("key".getBytes(StandardCharsets.UTF_8), new byte[] {1}),
            new SimpleRecord("key".getBytes(StandardCharsets.UTF_8), new byte[] {2}));
    byte[] bytes = new byte[records.sizeInBytes()];
    records.buffer().get(bytes);
    return bytes;
  }

  private boolean isRefused() {
    try {
      files().prepare();
      return false;
    } catch (IOException refused) {
      return true;
    }
  }

  private KafkaFiles files() {
    return new KafkaFiles(folder);
  }

  private Path partition() {
    return folder.resolve("topic-0");
  }

  private Path file() {
    return partition().resolve("00000000000000000000.log");
  }

  private void put(byte[] bytes) throws IOException {
    Files.write(file(), bytes);
  }

  private void served(String line) throws IOException {
    Files.writeString(folder.resolve("replication-offset-checkpoint"), "0\n1\n" + line + "\n");
  }

  private void stoppedInOrder() throws IOException {
    Files.createFile(folder.resolve(".kafka_cleanshutdown"));
  }
}
