package io.palinode.launcher.embedded;

import io.palinode.wire.TopicLayout;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.record.DefaultRecordBatch;
import org.apache.kafka.common.record.FileLogInputStream.FileChannelRecordBatch;
import org.apache.kafka.common.record.FileRecords;
import org.apache.kafka.common.record.MemoryRecords;
import org.apache.kafka.common.record.RecordBatch;
import org.apache.kafka.common.record.Records;
import org.apache.kafka.common.utils.Utils;

/**
 * The files of a broker that does not run. Kafka compares a record's checksum only when a reader
 * asks for it, cuts a log at a damaged record after a kill, and trusts its indexes: damage would
 * hide records. So each log is read before the broker starts.
 */
record KafkaFiles(Path folder) {
  private static final String STOPPED_IN_ORDER = ".kafka_cleanshutdown";

  /** For each partition the first offset, which Kafka also finds by the names of the files. */
  private static final String STARTS = "log-start-offset-checkpoint";

  /** For each partition the offset up to which readers had records some seconds ago. */
  private static final String SERVED = "replication-offset-checkpoint";

  private static final Pattern SERVED_LINE = Pattern.compile("(\\S+) (\\d{1,9}) (\\d{1,18})");
  private static final int LINES_BEFORE = 2;

  /** The cleaner's result, which replaces older files at the start. */
  private static final String SWAP = ".swap";

  /** The longest that a topic of Palinode or Kafka's own may have. */
  private static final int BATCH_BYTES_MAX = TopicLayout.CONTROL_RECORD_BYTES_MAX;

  /** Of a batch: its offset and its size. */
  private static final int SIZE_AT = 8;

  /**
   * Makes the broker able to start with all records. Deletes what could hide records, and what the
   * broker makes again. A gigabyte takes about a second of CPU time.
   *
   * @throws IOException that names the damaged file and its place
   */
  void prepare() throws IOException {
    check();
    for (Path partition : partitions()) {
      for (String ending : List.of("index", "index" + SWAP)) {
        for (Path index : files(partition, ending)) {
          Files.delete(index);
        }
      }
    }
    Files.deleteIfExists(folder.resolve(STARTS));
  }

  private void check() throws IOException {
    boolean stoppedInOrder = Files.exists(folder.resolve(STOPPED_IN_ORDER));
    Map<String, Long> ends = new HashMap<>();
    TopicIds ids = new TopicIds();
    for (Path partition : partitions()) {
      boolean isController = partition.endsWith(TopicIds.CONTROLLER);
      for (Path snapshot : files(partition, ".checkpoint")) {
        check(snapshot, 0, false);
        if (isController) {
          ids.read(snapshot);
        }
      }
      List<Path> logs = files(partition, ".log");
      for (int i = 0; i < logs.size(); i++) {
        boolean mayBeTorn = !stoppedInOrder && i == logs.size() - 1;
        long end = check(logs.get(i), firstOffset(logs.get(i)), mayBeTorn);
        ends.put(partition.getFileName().toString(), end);
        if (isController) {
          ids.read(logs.get(i));
        }
      }
      for (Path swap : files(partition, ".log" + SWAP)) {
        checkSwap(swap, logs);
      }
    }
    checkServed(ends);
    for (Path partition : partitions()) {
      boolean hasRecords = ends.getOrDefault(partition.getFileName().toString(), 0L) > 0;
      if (hasRecords && ids.isForeign(partition)) {
        throw unusable("Kafka's file %s is damaged".formatted(partition.resolve(TopicIds.FILE)));
      }
    }
  }

  private List<Path> partitions() throws IOException {
    try (Stream<Path> all = Files.list(folder)) {
      return all.filter(Files::isDirectory).sorted().toList();
    }
  }

  private static List<Path> files(Path partition, String ending) throws IOException {
    try (Stream<Path> all = Files.list(partition)) {
      return all.filter(file -> file.toString().endsWith(ending)).sorted().toList();
    }
  }

  /** By the file's name. */
  private static long firstOffset(Path log) {
    return Long.parseLong(log.getFileName().toString().replaceFirst("\\D.*", ""));
  }

  /** Returns the offset behind the last record; {@code first} if there is none. */
  private static long check(Path log, long first, boolean mayBeTorn) throws IOException {
    long end = first;
    int epoch = 0;
    int at = 0;
    try (FileRecords records = FileRecords.open(log.toFile(), false)) {
      for (FileChannelRecordBatch batch : records.batches()) {
        // The checksum does not cover these.
        if (batch.magic() != RecordBatch.CURRENT_MAGIC_VALUE
            || batch.baseOffset() < end
            || batch.partitionLeaderEpoch() < epoch) {
          throw damaged(log, at);
        }
        batch.ensureValid();
        epoch = batch.partitionLeaderEpoch();
        end = batch.nextOffset();
        at += batch.sizeInBytes();
      }
      if (at < records.sizeInBytes() && !(mayBeTorn && isTorn(log, at))) {
        throw damaged(log, at);
      }
      return end;
    } catch (KafkaException e) {
      throw damaged(log, at);
    }
  }

  /** Kafka deletes the files of the offsets that it has. The last file is never cleaned. */
  private static void checkSwap(Path swap, List<Path> logs) throws IOException {
    long end = check(swap, firstOffset(swap), false);
    if (!logs.isEmpty() && end > firstOffset(logs.get(logs.size() - 1))) {
      throw damaged(swap, 0);
    }
  }

  /** Whether the rest is the beginning of one batch, whose end was not written. */
  private static boolean isTorn(Path log, int from) throws IOException {
    try (FileChannel file = FileChannel.open(log)) {
      if (file.size() - from > BATCH_BYTES_MAX) {
        return false;
      }
      ByteBuffer rest = ByteBuffer.allocate((int) (file.size() - from));
      Utils.readFully(file, rest, from);
      rest.flip();
      for (int at = 1; at < rest.limit(); at++) {
        if (isBatch(rest.duplicate().position(at).slice())) {
          return false;
        }
      }
      return true;
    }
  }

  private static boolean isBatch(ByteBuffer bytes) {
    if (bytes.limit() < DefaultRecordBatch.RECORD_BATCH_OVERHEAD
        || bytes.get(Records.MAGIC_OFFSET) != RecordBatch.CURRENT_MAGIC_VALUE) {
      return false;
    }
    long size = Records.LOG_OVERHEAD + (long) bytes.getInt(SIZE_AT);
    return size >= DefaultRecordBatch.RECORD_BATCH_OVERHEAD
        && size <= bytes.limit()
        && MemoryRecords.readableRecords(bytes.limit((int) size))
            .batches()
            .iterator()
            .next()
            .isValid();
  }

  private void checkServed(Map<String, Long> ends) throws IOException {
    Path file = folder.resolve(SERVED);
    if (!Files.exists(file)) {
      return;
    }
    // Latin-1: damaged bytes must be readable.
    List<String> lines = Files.readAllLines(file, StandardCharsets.ISO_8859_1);
    for (String line : lines.subList(Math.min(LINES_BEFORE, lines.size()), lines.size())) {
      Matcher served = SERVED_LINE.matcher(line);
      if (!served.matches()) {
        throw unusable("Kafka's file %s is damaged: '%s'".formatted(file, line));
      }
      Long end = ends.get(served.group(1) + "-" + served.group(2));
      if (end != null && end < Long.parseLong(served.group(3))) {
        throw unusable(
            "the log of %s-%s ends at offset %d, but readers had records up to offset %s: folder=%s"
                .formatted(served.group(1), served.group(2), end, served.group(3), folder));
      }
    }
  }

  private static IOException damaged(Path log, int at) {
    return unusable("Kafka's file %s is damaged at byte %d".formatted(log, at));
  }

  private static IOException unusable(String why) {
    return new IOException(why + "; put back a copy, or see 'Repair a damaged node'");
  }
}
