package io.palinode.orchestrator.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.google.protobuf.InvalidProtocolBufferException;
import io.palinode.orchestrator.alert.AlertSettings;
import io.palinode.orchestrator.health.Finding;
import io.palinode.orchestrator.health.NodeReports;
import io.palinode.orchestrator.health.NodeStatus;
import io.palinode.orchestrator.health.UnjudgedOperations;
import io.palinode.orchestrator.history.ApiHistory;
import io.palinode.orchestrator.kafka.doctor.Examination;
import io.palinode.orchestrator.policy.AppliedPredicate;
import io.palinode.orchestrator.policy.PredicateTexts;
import io.palinode.orchestrator.rest.UnavailableException;
import io.palinode.predicate.PredicateLimits;
import io.palinode.predicate.text.PredicateException;
import io.palinode.wire.v1.ControlRecord;
import io.palinode.wire.v1.NodeReport;
import io.palinode.wire.v1.PredicateRecord;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.Test;

/** The outcome of a document of several predicates whose records fare differently. */
class PredicateRegistryTest {
  private static final Duration BOUND = Duration.ofSeconds(20);
  private static final PredicateLimits LIMITS = new PredicateLimits(10, 20, 2, 100);

  private static final NodeStatus JOINED_CASSANDRA =
      new NodeStatus(
          1, 1, 1, 1, "", "node 1 is an Apache Cassandra server", "0.1.0", "node_joined", 1);

  private final MockProducer<byte[], byte[]> kafka =
      new MockProducer<>(false, null, new ByteArraySerializer(), new ByteArraySerializer());
  private final PredicateRegistry registry =
      new PredicateRegistry(
          kafka, "predicates", new PredicateTexts(), LIMITS, AlertSettings.DEFAULT, () -> 1_000);

  @Test
  void allRecordsAreSentBeforeTheFirstIsAwaited() throws Exception {
    CompletableFuture<List<AppliedPredicate>> applied = apply("a", "b", "c");
    awaitSent(3);
    for (int record = 0; record < 3; record++) {
      kafka.completeNext();
      read(record);
    }
    assertThat(applied.get(BOUND.toSeconds(), TimeUnit.SECONDS))
        .extracting(AppliedPredicate::name)
        .containsExactly("a", "b", "c");
  }

  @Test
  void aDocumentThatIsPartlyWrittenIsAnsweredWithTheOutcomeOfEach() throws Exception {
    CompletableFuture<List<AppliedPredicate>> applied = apply("a", "b", "c", "d");
    awaitSent(4);
    kafka.completeNext();
    kafka.errorNext(new RecordTooLargeException("too large"));
    kafka.errorNext(new TimeoutException("no answer"));
    kafka.completeNext();
    read(0);
    read(3);
    assertThatThrownBy(() -> applied.get(BOUND.toSeconds(), TimeUnit.SECONDS))
        .isInstanceOf(ExecutionException.class)
        .cause()
        .isInstanceOf(UnavailableException.class)
        .hasMessageStartingWith("predicate 'b' version 1 cannot be written to Kafka: ")
        .hasMessageEndingWith("; applied: 'a', 'd'; not applied: 'b'; not known: 'c'");
    assertThat(registry.all()).extracting(AppliedPredicate::name).containsExactly("a", "d");
  }

  @Test
  void afterARecordThatTheProducerRefusesNoneIsSent() {
    kafka.sendException = new RecordTooLargeException("too large");
    assertThatThrownBy(() -> registry.apply(document("a", "b"), "test"))
        .isInstanceOf(PredicateException.class)
        .hasMessageEndingWith("too large; not applied: 'a', 'b'");
    assertThat(kafka.history()).isEmpty();
  }

  @Test
  void aLimitIsNamedWithThePredicateAndNoneIsWritten() {
    String third = "{var: x, equals: \"1\"}";
    String tooLong = document("c").replace(third, third + ", " + third + ", " + third);
    assertThatThrownBy(() -> registry.apply(document("a", "b") + "---\n" + tooLong, "test"))
        .isInstanceOf(PredicateException.class)
        .hasMessageStartingWith("predicate 'c' clause 1: a clause must have at most 2 terms");
    assertThat(kafka.history()).isEmpty();
  }

  @Test
  void aWebhookToAPrivateAddressIsRefusedWithItsPredicate() {
    String alerts = "onViolation: {rollback: none, alert: [\"webhook:http://10.0.0.1/x\"]}";
    String guarded = document("c").stripTrailing() + "\n  " + alerts + "\n";
    assertThatThrownBy(() -> registry.apply(document("a", "b") + "---\n" + guarded, "test"))
        .isInstanceOf(PredicateException.class)
        .hasMessage(
            "predicate 'c': webhooks to the private address of 10.0.0.1 are refused: allow it with"
                + " --alert-allow 10.0.0.1");
    assertThat(kafka.history()).isEmpty();
  }

  @Test
  void aRollbackThatANodeCannotMakeIsRefusedWithItsReason() {
    registry.refusingRollbacks(() -> "node 1 is watched only", Map::of);
    String asks = "onViolation: {rollback: {scope: all, to: before-violation}}";
    String rollback = document("c").stripTrailing() + "\n  " + asks + "\n";
    assertThatThrownBy(() -> registry.apply(document("a", "b") + "---\n" + rollback, "test"))
        .isInstanceOf(PredicateException.class)
        .hasMessage("predicate 'c': rollback must be none: node 1 is watched only");
    assertThat(kafka.history()).isEmpty();
  }

  @Test
  void operationsThatANodeDoesNotJudgeAreRefusedWithItsReason() {
    registry.judgedBy(() -> List.of(NodeStatus.unknown(0), JOINED_CASSANDRA));
    for (String word : List.of("lostUpdate", "staleRead", "nonMonotonicRead")) {
      String of = document("c").replaceAll("equals: [^}]*", word + ": true");
      assertThatThrownBy(() -> registry.apply(of, "test"))
          .isInstanceOf(PredicateException.class)
          .hasMessage(
              "predicate 'c': %s would find nothing, because node 1 is an Apache Cassandra server,"
                      .formatted(word)
                  + " which does not judge the operations of clients");
    }
    assertThat(kafka.history()).isEmpty();
  }

  @Test
  void aNodeThatJoinsAndDoesNotJudgeIsNamedWithEachPredicateInForce() {
    for (String name : List.of("a", "b", "c")) {
      String word = name.equals("b") ? "equals: lostUpdate" : "lostUpdate: true";
      String yaml = document(name).replaceAll("equals: [^}]*", word);
      registry.read(record(name, 1).setYaml(yaml).build());
    }
    registry.judgedBy(() -> List.of(NodeStatus.unknown(0)));
    assertThat(registry.unjudged()).isEmpty();
    registry.judgedBy(() -> List.of(NodeStatus.unknown(0), JOINED_CASSANDRA));
    String why = JOINED_CASSANDRA.operationsNotJudged();
    assertThat(registry.unjudged())
        .containsExactly(
            new UnjudgedOperations("a", "lostUpdate", 1, why),
            new UnjudgedOperations("c", "lostUpdate", 1, why));
    registry.read(record("a", 2).setDeleted(true).build());
    assertThat(registry.unjudged()).extracting(UnjudgedOperations::predicate).containsExactly("c");
  }

  @Test
  void aPredicateOfAStoreThatNoNodeHasIsInForceAndAFindingOfTheDoctor() {
    NodeReports reports = new NodeReports(1);
    registry.refusingRollbacks(() -> "", reports);
    String yaml = document("a").replace("{var: x", "{store: cart, var: x");
    registry.read(record("a", 1).setYaml(yaml).build());
    registry.read(
        record("b", 1).setYaml(yaml.replace("cart", "s01").replace(": a", ": b")).build());
    assertThat(findings()).as("the stores are not known").isEmpty();
    NodeReport.Builder report = NodeReport.newBuilder();
    IntStream.rangeClosed(1, 12).forEach(i -> report.addStores("s%02d".formatted(i)));
    reports.read(ControlRecord.newBuilder().setNodeReport(report).build(), 1);
    assertThat(findings())
        .containsExactly(
            Finding.fault(
                "predicate a",
                "no node has the store 'cart' of its terms, which find nothing; the nodes have"
                    + " 's01', 's02', 's03', 's04', 's05', 's06', 's07', 's08', 's09', 's10' and 2"
                    + " more",
                "apply it with the right name, or create the store"));
  }

  private List<Finding> findings() {
    List<AppliedPredicate> all = registry.all();
    return Examination.others(all, List.of(), new ApiHistory(1).watched(), Map.of()).stream()
        .filter(finding -> finding.level() == Finding.Level.FAULT)
        .toList();
  }

  @Test
  void aRollbackOfKeysThatANodeCannotRestoreIsRefusedWithItsReason() {
    Map<String, String> keys = Map.of("shop.hits/", "node 1 cannot restore shop.hits/: a counter");
    registry.refusingRollbacks(() -> "", () -> keys);
    String asks = "onViolation: {rollback: {scope: all, to: before-violation}}";
    String rollback = document("c").stripTrailing() + "\n  " + asks + "\n";
    assertThatThrownBy(
            () -> registry.apply(rollback.replace("var: x", "var: shop.hits/home/n"), "test"))
        .isInstanceOf(PredicateException.class)
        .hasMessage(
            "predicate 'c': rollback must be none: node 1 cannot restore shop.hits/: a counter");
    assertThat(kafka.history()).isEmpty();
  }

  @Test
  void aChangeThatItsCheckRefusesIsNotSent() {
    assertThatThrownBy(
            () ->
                registry.applyOne(
                    document("a"),
                    "a",
                    present -> {
                      throw new IllegalStateException("present: " + present);
                    }))
        .hasMessage("present: null");
    assertThat(kafka.history()).isEmpty();
    assertThat(registry.delete("a", present -> {})).as("it is not in force").isFalse();
  }

  private CompletableFuture<List<AppliedPredicate>> apply(String... names) {
    return CompletableFuture.supplyAsync(() -> registry.apply(document(names), "test"));
  }

  private static String document(String... names) {
    List<String> documents =
        List.of(names).stream()
            .map(
                name ->
                    """
                    apiVersion: palinode.io/v1
                    kind: Predicate
                    metadata: {name: %s}
                    spec:
                      violation:
                        - all: [{var: x, equals: "1"}]
                    """
                        .formatted(name))
            .toList();
    return String.join("---\n", documents);
  }

  private static PredicateRecord.Builder record(String name, long version) {
    return PredicateRecord.newBuilder().setName(name).setVersion(version);
  }

  private void awaitSent(int records) {
    await().atMost(BOUND).until(() -> kafka.history().size() == records);
  }

  private void read(int record) throws InvalidProtocolBufferException {
    registry.read(PredicateRecord.parseFrom(kafka.history().get(record).value()));
  }
}
