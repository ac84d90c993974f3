package io.palinode.launcher.embedded;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.kafka.common.metadata.TopicRecord;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.record.FileLogInputStream.FileChannelRecordBatch;
import org.apache.kafka.common.record.FileRecords;
import org.apache.kafka.common.record.Record;
import org.apache.kafka.metadata.MetadataRecordSerde;

/**
 * The ids that topics have or had, by the controller's log. If the file of a partition has another
 * id, Kafka takes the partition for a deleted topic's, and begins an empty one.
 */
final class TopicIds {
  /** The partition with the controller's log. */
  static final String CONTROLLER = "__cluster_metadata-0";

  /** In each partition, without a checksum. */
  static final String FILE = "partition.metadata";

  private static final Pattern PARTITION = Pattern.compile("(.+)-\\d+");
  private static final Pattern ID = Pattern.compile("topic_id: (\\S+)");

  private final Map<String, Set<String>> byTopic = new HashMap<>();

  /** Reads one file of the controller's log, which must be whole. */
  void read(Path log) throws IOException {
    MetadataRecordSerde serde = MetadataRecordSerde.INSTANCE;
    try (FileRecords records = FileRecords.open(log.toFile(), false)) {
      for (FileChannelRecordBatch batch : records.batches()) {
        for (Record record : batch.isControlBatch() ? List.<Record>of() : batch) {
          var value = new ByteBufferAccessor(record.value());
          if (serde.read(value, record.valueSize()).message() instanceof TopicRecord topic) {
            byTopic
                .computeIfAbsent(topic.name(), unused -> new HashSet<>())
                .add(topic.topicId().toString());
          }
        }
      }
    }
  }

  /**
   * Returns whether a partition's file has an id that its topic never had. False if the controller
   * knows no such topic.
   */
  boolean isForeign(Path partition) throws IOException {
    Matcher name = PARTITION.matcher(partition.getFileName().toString());
    Set<String> ids = name.matches() ? byTopic.get(name.group(1)) : null;
    if (ids == null) {
      return false;
    }
    Path file = partition.resolve(FILE);
    // Latin-1: damaged bytes must be readable.
    String text = Files.exists(file) ? Files.readString(file, StandardCharsets.ISO_8859_1) : "";
    Matcher id = ID.matcher(text);
    return !id.find() || !ids.contains(id.group(1));
  }
}
