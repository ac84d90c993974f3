package io.palinode.launcher;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.google.protobuf.InvalidProtocolBufferException;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.palinode.detector.kafka.NodeDetectorConfig;
import io.palinode.hvc.Epsilon;
import io.palinode.launcher.embedded.EmbeddedKafka;
import io.palinode.launcher.embedded.Ports;
import io.palinode.retroscope.snapshot.LocalSnapshots;
import io.palinode.store.hosted.Fuse;
import io.palinode.store.hosted.JoinedDetector;
import io.palinode.voldemort.StoreNode;
import io.palinode.voldemort.cluster.Cluster;
import io.palinode.voldemort.cluster.StoreDefinition;
import io.palinode.voldemort.cluster.StoreDefinition.Persistence;
import io.palinode.voldemort.server.SystemMicros;
import io.palinode.wire.KafkaSettings;
import io.palinode.wire.LogTail;
import io.palinode.wire.TopicLayout;
import io.palinode.wire.Topics;
import io.palinode.wire.TopicsAdmin;
import io.palinode.wire.v1.CandidateRecord;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A server of another store that serves before its node has joined. */
@Timeout(300)
class LateJoinIT {
  private static final int PARTITIONS = 2;
  private static final Topics TOPICS = Topics.DEFAULT;

  @TempDir Path folder;

  /** Cassandra applies mutations before its node has started. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void writesBeforeTheJoinAreACoverageGapSinceTheFirst(boolean isBeforeTheStart) throws Exception {
    int port = Ports.free(1).get(0);
    KafkaSettings kafka = KafkaSettings.of("127.0.0.1:" + port);
    Cluster cluster = StoreCluster.layout(Ports.free(1));
    StoreDefinition store = StoreDefinition.of("s", Persistence.BDB, 1, 1, 1);
    try (WatchedNode unwatched =
        WatchedNode.start(
            WatchedNode.config(0, cluster, List.of(store), Epsilon.parse("10ms")),
            folder.resolve("data"),
            null,
            null,
            new SimpleMeterRegistry())) {
      StoreNode node = unwatched.node();
      JoinedDetector detector =
          new JoinedDetector(
              NodeDetectorConfig.of(kafka, TOPICS),
              new SimpleMeterRegistry(),
              new SystemMicros(),
              new Fuse("off", 1, () -> {}, () -> {}));
      LocalSnapshots snapshots = new LocalSnapshots(0, node.history(), folder.resolve("snapshots"));
      long first = node.clock().tick().own();
      if (isBeforeTheStart) {
        detector.missed();
        detector.start(node, snapshots);
      } else {
        detector.start(node, snapshots);
        detector.missed();
      }
      long later = node.clock().tick().own();
      try (EmbeddedKafka broker = EmbeddedKafka.start(folder.resolve("kafka"), port)) {
        assertThat(broker.bootstrapServers()).endsWith(":" + port);
        try (TopicsAdmin admin = new TopicsAdmin(kafka, TOPICS)) {
          admin.createAbsent(TopicLayout.DEFAULT.withCandidatePartitions(PARTITIONS));
        }
        assertThat(detector.awaitJoined(Duration.ofMinutes(2))).isTrue();
        List<CandidateRecord> read = new CopyOnWriteArrayList<>();
        try (LogTail tail =
            new LogTail(
                "test",
                kafka,
                LogTail.Source.all(TOPICS.candidates(), LogTail.From.BEGINNING),
                record -> read.add(parse(record.value())))) {
          tail.start();
          await()
              .atMost(60, SECONDS)
              .until(() -> read.stream().filter(CandidateRecord::hasGap).count() >= PARTITIONS);
        }
        assertThat(read)
            .filteredOn(CandidateRecord::hasGap)
            .allMatch(record -> record.getGap().getFromHlc() >= first)
            .filteredOn(record -> record.getGap().getFromHlc() < later)
            .hasSize(PARTITIONS)
            .allMatch(record -> record.getGap().getToHlc() > later);
      } finally {
        detector.stop();
        detector.endReports();
      }
    }
  }

  private static CandidateRecord parse(byte[] bytes) {
    try {
      return CandidateRecord.parseFrom(bytes);
    } catch (InvalidProtocolBufferException e) {
      throw new IllegalStateException(e);
    }
  }
}
