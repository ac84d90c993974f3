package io.palinode.launcher.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.palinode.monitor.flink.job.DetectionJob;
import io.palinode.monitor.flink.job.DetectionJobConfig;
import io.palinode.wire.KafkaSettings;
import io.palinode.wire.LogTail;
import io.palinode.wire.TopicLayout;
import io.palinode.wire.Topics;
import io.palinode.wire.TopicsAdmin;
import io.palinode.wire.v1.IntervalRef;
import io.palinode.wire.v1.Violation;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import org.HdrHistogram.Histogram;
import org.apache.flink.api.common.JobStatus;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The detection job on a real broker and a real cluster, fed with the records of three nodes. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(60)
class MonitorIT {
  private static final Topics TOPICS = Topics.DEFAULT;
  private static final Duration SOON = Duration.ofSeconds(20);
  private static final int PAIRS = Integer.getInteger("palinode.it.pairs", 1_000);

  @TempDir static Path folder;

  private final PrometheusMeterRegistry meters =
      new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
  private EmbeddedKafka broker;
  private KafkaSettings kafka;
  private EmbeddedFlink flink;
  private FakeNodes nodes;
  private ViolationLog log;

  @BeforeAll
  void start() throws IOException {
    broker = EmbeddedKafka.start(folder.resolve("kafka"), EmbeddedKafka.ANY_PORT);
    kafka = KafkaSettings.of(broker.bootstrapServers());
    try (TopicsAdmin admin = new TopicsAdmin(kafka, TOPICS)) {
      admin.createAbsent(TopicLayout.DEFAULT.withCandidatePartitions(FakeNodes.PARTITIONS));
    }
    startFlink();
    nodes = new FakeNodes(kafka, TOPICS.candidates());
    log = new ViolationLog(kafka, TOPICS.violations());
  }

  @AfterAll
  void stop() {
    log.close();
    nodes.close();
    flink.close();
    broker.close();
  }

  @BeforeEach
  void jobRuns() {
    await().atMost(SOON).until(flink::isRunning);
  }

  @AfterEach
  void noViolationEverCameAfterTheJudgementThatCoversIt() {
    assertThat(log.disorder()).isEmpty();
    assertThat(flink.failure()).isNull();
  }

  @Test
  void aViolationIsFoundAndThenJudged() throws Exception {
    apply("found", 1);
    nodes.open(0, FakeNodes.ref("found", 1, "a=1", 0));
    nodes.open(1, FakeNodes.ref("found", 1, "a=1", 1));
    nodes.open(1, FakeNodes.ref("found", 1, "a=2", 1));
    await().atMost(SOON).until(() -> log.of("found").size() == 1);
    Violation violation = log.of("found").get(0);
    assertThat(violation.getBinding()).isEqualTo("a=1");
    assertThat(violation.getWitnessesList()).extracting(w -> w.getNode()).containsExactly(0, 1);
    assertThat(violation.getWitnesses(0).getWriter()).isEqualTo("client0");
    await().atMost(SOON).until(() -> log.judged() >= violation.getViolate());
    assertThat(log.of("found")).hasSize(1);
  }

  /** One client can put keys with clocks of 32,767 entries. */
  @Test
  void aViolationOfLongClocksDoesNotEndTheJob() throws Exception {
    apply("huge", 1);
    byte[] clock = new byte[600_000];
    nodes.open(0, FakeNodes.ref("huge", 1, "a=1", 0), clock);
    nodes.open(1, FakeNodes.ref("huge", 1, "a=1", 1), clock);
    await().atMost(SOON).until(() -> log.of("huge").size() == 1);
    await().atMost(SOON).until(this::judgedUpToNow);
  }

  @Test
  void intervalsThatAreFarApartAreNoViolation() throws Exception {
    apply("apart", 1);
    FakeNodes.Interval early = nodes.open(0, FakeNodes.ref("apart", 1, "a=1", 0));
    nodes.close(early);
    await().atMost(SOON).until(() -> judgedUpToNow());
    LockSupport.parkNanos(Duration.ofMillis(3 * FakeNodes.EPSILON.micros() / 1_000).toNanos());
    nodes.open(1, FakeNodes.ref("apart", 1, "a=1", 1));
    await().atMost(SOON).until(() -> judgedUpToNow());
    assertThat(log.of("apart")).isEmpty();
  }

  @Test
  void missingEventsAreReportedWithAndWithoutAGap() throws Exception {
    apply("loss", 1);
    IntervalRef ref = FakeNodes.ref("loss", 1, "a=1", 0);
    int partition = FakeNodes.partition(ref);
    nodes.loseWithGap(2, ref, 3);
    long first = nodes.skip(2, ref, 2);
    await()
        .atMost(SOON)
        .until(
            () ->
                log.losses().stream()
                        .filter(loss -> loss.getNode() == 2 && loss.getPartition() == partition)
                        .mapToLong(loss -> loss.getLastSequence() - loss.getFirstSequence() + 1)
                        .sum()
                    == 5);
    // Else it would be waited for, half a minute.
    nodes.explain(2, ref, first, 2);
    await().atMost(SOON).until(this::judgedUpToNow);
  }

  @Test
  void aPredicateIsChangedAndDeletedWhileTheJobRuns() throws Exception {
    apply("changed", 1);
    nodes.open(0, FakeNodes.ref("changed", 1, "a=1", 0));
    apply("changed", 2);
    // This one may be here before version 2 is: it waits.
    nodes.open(1, FakeNodes.ref("changed", 2, "a=1", 1));
    nodes.open(0, FakeNodes.ref("changed", 1, "a=1", 0));
    await().atMost(SOON).until(this::judgedUpToNow);
    assertThat(log.of("changed")).isEmpty();
    nodes.open(0, FakeNodes.ref("changed", 2, "a=1", 0));
    await().atMost(SOON).until(() -> log.of("changed").size() == 1);
    assertThat(log.of("changed").get(0).getPredicateVersion()).isEqualTo(2);
    send("changed", 3, true);
    await().atMost(SOON).until(this::judgedUpToNow);
    nodes.open(2, FakeNodes.ref("changed", 2, "a=1", 0));
    await().atMost(SOON).until(this::judgedUpToNow);
    assertThat(log.of("changed")).hasSize(1);
  }

  @Test
  void candidatesThatAreHereBeforeTheirPredicateWaitForIt() throws Exception {
    nodes.open(0, FakeNodes.ref("late", 1, "a=1", 0));
    nodes.open(1, FakeNodes.ref("late", 1, "a=1", 1));
    LockSupport.parkNanos(Duration.ofMillis(300).toNanos());
    apply("late", 1);
    await().atMost(SOON).until(() -> log.of("late").size() == 1);
    await().atMost(SOON).until(this::judgedUpToNow);
  }

  @Test
  void whatANodeHadOpenEndsWithItsRestart() throws Exception {
    apply("restarted", 1);
    nodes.open(0, FakeNodes.ref("restarted", 1, "a=1", 0));
    await().atMost(SOON).until(this::judgedUpToNow);
    nodes.restart(0);
    await().atMost(SOON).until(this::judgedUpToNow);
    LockSupport.parkNanos(Duration.ofMillis(3 * FakeNodes.EPSILON.micros() / 1_000).toNanos());
    nodes.open(1, FakeNodes.ref("restarted", 1, "a=1", 1));
    await().atMost(SOON).until(this::judgedUpToNow);
    assertThat(log.of("restarted")).isEmpty();
    nodes.open(0, FakeNodes.ref("restarted", 1, "a=1", 0));
    await().atMost(SOON).until(() -> log.of("restarted").size() == 1);
  }

  @Test
  void aNodeThatIsKilledLosesCoverageOnEveryPartitionAndOneThatStopsDoesNot() {
    await().atMost(SOON).until(this::judgedUpToNow);
    nodes.restart(1);
    await().atMost(SOON).until(this::judgedUpToNow);
    assertThat(log.losses()).noneMatch(loss -> loss.getNode() == 1);
    long killed = io.palinode.hvc.Hlc.ofMicros(FakeNodes.nowMicros());
    nodes.kill(1);
    await().atMost(SOON).until(this::judgedUpToNow);
    assertThat(log.losses().stream().filter(loss -> loss.getNode() == 1))
        .hasSize(FakeNodes.PARTITIONS)
        .allMatch(loss -> loss.getFromHlc() <= loss.getToHlc() && loss.getToHlc() >= killed);
  }

  @Test
  void aJobThatIsStoppedAndStartedLosesNothing() throws Exception {
    apply("kept", 1);
    nodes.open(0, FakeNodes.ref("kept", 1, "a=open-before", 0));
    for (int i = 0; i < 200; i++) {
      violate("kept", "a=" + i);
    }
    flink.close();
    nodes.open(1, FakeNodes.ref("kept", 1, "a=open-before", 1));
    for (int i = 200; i < 400; i++) {
      violate("kept", "a=" + i);
    }
    startFlink();
    for (int i = 400; i < 600; i++) {
      violate("kept", "a=" + i);
    }
    await().atMost(SOON).until(() -> bindings("kept").size() == 601);
    assertThat(ids("kept")).hasSize(601);
    assertThat(log.losses()).noneMatch(loss -> loss.getNode() == 0);
    assertThat(flink.status()).isEqualTo(JobStatus.RUNNING);
  }

  @Test
  void aJobThatLostItsCheckpointsFindsTheSameViolationsAgain() throws Exception {
    apply("again", 1);
    for (int i = 0; i < 50; i++) {
      violate("again", "a=" + i);
    }
    await().atMost(SOON).until(() -> ids("again").size() == 50);
    await().atMost(SOON).until(this::judgedUpToNow);
    int reports = log.reports("again");
    flink.close();
    String checkpoints = EmbeddedFlink.CHECKPOINTS + DetectionJob.STATE_VERSION;
    new Checkpoints(folder.resolve("flink").resolve(checkpoints)).deleteAllBut(null);
    startFlink();
    await().atMost(SOON).until(() -> log.reports("again") >= reports + 50);
    await().atMost(SOON).until(this::judgedUpToNow);
    assertThat(ids("again")).hasSize(50);
  }

  @Test
  void whatTheJobCountsIsWhatDashboardsReadAndNoMore() throws Exception {
    apply("counted", 1);
    violate("counted", "a=1");
    violate("counted", "a=2");
    await().atMost(SOON).until(() -> ids("counted").size() == 2);
    assertThat(types(meters.scrape())).isEqualTo(listed());
    Map<String, Double> samples = samples(meters.scrape());
    assertThat(samples)
        .containsEntry("palinode_job_candidates_total{predicate=\"counted\"}", 4.0)
        .containsEntry("palinode_job_instances{predicate=\"counted\"}", 2.0);
    assertThat(
            samples.entrySet().stream()
                .filter(sample -> sample.getKey().startsWith("palinode_job_violations_total"))
                .filter(sample -> sample.getKey().contains("predicate=\"counted\""))
                .mapToDouble(Map.Entry::getValue)
                .sum())
        .as("of whatever grade, and again when it rose")
        .isGreaterThanOrEqualTo(2);
  }

  @Test
  void aJobThatCannotRunSaysWhy() throws Exception {
    Topics absent = new Topics("absent");
    try (EmbeddedFlink other =
        EmbeddedFlink.start(
            folder.resolve("other"),
            DetectionJobConfig.of(kafka, absent, FakeNodes.NODES, FakeNodes.EPSILON),
            new SimpleMeterRegistry())) {
      await().atMost(SOON).until(() -> other.failure() != null);
      // Whichever of its sources finds out first.
      assertThat(other.failure()).contains(absent.prefix() + ".");
      assertThat(other.isRunning()).isFalse();
    }
  }

  @Test
  void anIntervalThatIsLongOpenNeedsOnlyItsNodesProgress() throws Exception {
    apply("long", 1);
    Map<String, Long> sentNanos = new ConcurrentHashMap<>();
    for (int i = 0; i < 100; i++) {
      nodes.open(0, FakeNodes.ref("long", 1, "a=" + i, 0));
    }
    await().atMost(SOON).until(this::judgedUpToNow);
    for (int i = 0; i < 100; i++) {
      sentNanos.put("a=" + i, System.nanoTime());
      nodes.open(1, FakeNodes.ref("long", 1, "a=" + i, 1));
      LockSupport.parkNanos(Duration.ofMillis(3).toNanos());
    }
    await().atMost(SOON).until(() -> bindings("long").size() == 100);
    System.out.println(
        "latency ms p50/p99 with a long open interval: " + text(since(sentNanos, "long")));
  }

  @Test
  void theWayFromCandidateToViolationIsTimed() throws Exception {
    apply("timed", 1);
    time("timed", "warm-", PAIRS);
    Histogram alone = timeKafkaAlone(PAIRS);
    Histogram fresh = time("timed", "m-", PAIRS);
    System.out.printf(
        "latency ms p50/p99: Kafka alone %s; candidate to violation %s; ratio of p50 %.2f%n",
        text(alone),
        text(fresh),
        (double) fresh.getValueAtPercentile(50) / alone.getValueAtPercentile(50));
    assertThat(fresh.getTotalCount()).isEqualTo(PAIRS);
  }

  /** {@code name type} of each metric in a scrape. */
  private static Set<String> types(String scrape) {
    String type = "# TYPE ";
    return scrape
        .lines()
        .filter(line -> line.startsWith(type))
        .map(line -> line.substring(type.length()))
        .collect(Collectors.toCollection(TreeSet::new));
  }

  private static Map<String, Double> samples(String scrape) {
    return scrape
        .lines()
        .filter(line -> !line.startsWith("#"))
        .map(line -> line.split(" ", -1))
        .collect(Collectors.toMap(words -> words[0], words -> Double.valueOf(words[1])));
  }

  private static Set<String> listed() throws IOException {
    try (InputStream in =
        Objects.requireNonNull(
            MonitorIT.class.getResourceAsStream("/palinode/dashboards/metrics.txt"))) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8)
          .lines()
          .filter(line -> line.startsWith("job "))
          .map(line -> line.substring("job ".length()))
          .collect(Collectors.toCollection(TreeSet::new));
    }
  }

  private void startFlink() throws IOException {
    flink =
        EmbeddedFlink.start(
            folder.resolve("flink"),
            DetectionJobConfig.of(kafka, TOPICS, FakeNodes.NODES, FakeNodes.EPSILON),
            meters);
  }

  /** From the second opening, which completes the violation, to its arrival. */
  private Histogram time(String predicate, String prefix, int pairs) {
    Map<String, Long> sentNanos = new ConcurrentHashMap<>();
    int before = log.of(predicate).size();
    for (int i = 0; i < pairs; i++) {
      String binding = "a=" + prefix + i;
      FakeNodes.Interval first = nodes.open(0, FakeNodes.ref(predicate, 1, binding, 0));
      sentNanos.put(binding, System.nanoTime());
      FakeNodes.Interval second = nodes.open(1, FakeNodes.ref(predicate, 1, binding, 1));
      LockSupport.parkNanos(Duration.ofMillis(2).toNanos());
      nodes.close(first);
      nodes.close(second);
    }
    await().atMost(SOON).until(() -> log.of(predicate).size() == before + pairs);
    return since(sentNanos, predicate);
  }

  private Histogram since(Map<String, Long> sentNanos, String predicate) {
    Histogram micros = new Histogram(3);
    log.arrivals(predicate)
        .forEach(
            (binding, arrived) -> {
              Long sent = sentNanos.get(binding);
              if (sent != null) {
                micros.recordValue((arrived - sent) / 1_000);
              }
            });
    return micros;
  }

  private Histogram timeKafkaAlone(int records) throws Exception {
    String topic = TOPICS.control();
    Histogram micros = new Histogram(3);
    try (Producer<byte[], byte[]> producer = kafka.newProducer("alone");
        LogTail tail =
            new LogTail(
                "alone",
                kafka,
                LogTail.Source.all(topic, LogTail.From.END),
                record -> {
                  long sent = Long.parseLong(new String(record.value(), StandardCharsets.US_ASCII));
                  micros.recordValue((System.nanoTime() - sent) / 1_000);
                })) {
      tail.start();
      assertThat(tail.awaitCaughtUp(SOON)).isTrue();
      for (int i = 0; i < records; i++) {
        byte[] value = Long.toString(System.nanoTime()).getBytes(StandardCharsets.US_ASCII);
        var unused = producer.send(new ProducerRecord<>(topic, 0, value, value));
        LockSupport.parkNanos(Duration.ofMillis(2).toNanos());
      }
      await().atMost(SOON).until(() -> micros.getTotalCount() == records);
    }
    return micros;
  }

  private static String text(Histogram micros) {
    return "%.2f/%.2f"
        .formatted(
            micros.getValueAtPercentile(50) / 1_000.0, micros.getValueAtPercentile(99) / 1_000.0);
  }

  private void violate(String predicate, String binding) {
    nodes.open(0, FakeNodes.ref(predicate, 1, binding, 0));
    nodes.open(1, FakeNodes.ref(predicate, 1, binding, 1));
  }

  private boolean judgedUpToNow() {
    long now = io.palinode.hvc.Hlc.ofMicros(FakeNodes.nowMicros());
    await().atMost(SOON).pollInterval(Duration.ofMillis(10)).until(() -> log.judged() >= now);
    return true;
  }

  private Set<String> bindings(String predicate) {
    return new HashSet<>(log.of(predicate).stream().map(Violation::getBinding).toList());
  }

  private Set<String> ids(String predicate) {
    return new HashSet<>(log.of(predicate).stream().map(Violation::getId).toList());
  }

  private void apply(String predicate, long version) throws Exception {
    send(predicate, version, false);
  }

  private void send(String predicate, long version, boolean deleted)
      throws ExecutionException, InterruptedException {
    PairPredicate.send(kafka, predicate, version, deleted);
  }
}
