package io.palinode.voldemort;

import static io.palinode.voldemort.TestNodes.key;
import static io.palinode.voldemort.TestNodes.version;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.palinode.detector.binding.StoreKey;
import io.palinode.hvc.Hvc;
import io.palinode.store.control.EffectAnswers;
import io.palinode.store.control.EffectQuestions;
import io.palinode.voldemort.TestNodes.Medium;
import io.palinode.voldemort.cluster.StoreDefinition.Persistence;
import io.palinode.voldemort.protocol.Versioned;
import io.palinode.wire.v1.ControlRecord;
import io.palinode.wire.v1.EffectAsked;
import io.palinode.wire.v1.EffectReported;
import io.palinode.wire.v1.Moment;
import io.palinode.wire.v1.Scope;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The effect of a rollback of scope affected, as all nodes report it. */
class AffectedEffectTest {
  private static final int NODES = 3;
  private static final StoreKey K = key("k");
  private static final StoreKey L = key("l");

  private final AtomicLong micros = TestNodes.clock();
  private final List<StoreNode> nodes = new ArrayList<>();
  private long target;
  private long witness;
  private long cameOfIt;

  @BeforeEach
  void aWriteIsReadAndAnotherClientWritesBesideIt() throws RefusedException {
    for (int id = 0; id < NODES; id++) {
      StoreNodeConfig config =
          StoreNodeConfig.of(
              id, TestNodes.cluster(NODES), TestNodes.stores(NODES, Persistence.MEMORY));
      StoreNode node =
          new StoreNode(config, Medium.MEMORY.open(Path.of("unused")), micros::incrementAndGet);
      node.followAccesses(true);
      node.resume(0, 0, 0);
      nodes.add(node);
    }
    write("alice", 0, K, version("before", 1), null);
    target = nodes.stream().mapToLong(node -> node.clock().last().own()).max().orElseThrow();
    nodes.forEach(node -> node.clock().tickPast(target));
    witness = write("alice", 0, K, version("bad", 2), null);
    Hvc seen = nodes.get(1).reads().get(K, caller("bob", null, null)).hvc();
    cameOfIt = write("bob", 1, L, version("came of it", 0, 1), seen);
    write("carol", 2, key("m"), version("beside it", 0, 0, 1), null);
    write("carol", 2, key("n"), version("beside it", 0, 0, 1), null);
  }

  @AfterEach
  void close() {
    nodes.forEach(StoreNode::close);
  }

  @Test
  void onlyWhatCameOfTheWitnessIsCountedAndWhomItConcernsIsNamed() {
    List<EffectReported> reports = reports(asked(at(0, witness)).build());
    assertThat(reports).extracting(EffectReported::getFailure).containsOnly("");
    assertThat(reports).extracting(EffectReported::getAllBecause).containsOnly("");
    assertThat(reports).extracting(EffectReported::getKeys).containsOnly(2L);
    assertThat(reports).extracting(EffectReported::getWrites).containsOnly(2L);
    assertThat(reports.stream().mapToLong(EffectReported::getFirstWrites).sum()).isEqualTo(2);
    assertThat(reports.stream().mapToLong(EffectReported::getFirstKeys).sum()).isEqualTo(2);
    assertThat(reports).allMatch(t -> t.getClientsList().equals(List.of("alice", "bob")));
    assertThat(reports).allMatch(t -> t.getWitnessesList().equals(List.of(at(0, witness))));
    assertThat(nodes.get(1).accesses(target).accesses()).as("nothing was paused").isNotEmpty();
  }

  @Test
  void aKeyStandsForItsFirstWriteAfterTheTarget() {
    List<EffectReported> reports = reports(asked().addKeys(named(L)).build());
    assertThat(reports).allMatch(t -> t.getWitnessesList().equals(List.of(at(1, cameOfIt))));
    assertThat(reports).extracting(EffectReported::getKeys).containsOnly(1L);
    assertThat(reports).allMatch(t -> t.getClientsList().equals(List.of("bob")));
  }

  @Test
  void aKeyWithoutAWriteSinceIsRefusedWithItsName() {
    assertThat(reports(asked().addKeys(named(key("never"))).build()))
        .extracting(EffectReported::getFailure)
        .containsOnly("no client wrote key 'never' after the target");
  }

  @Test
  void ifAllKeysAreAffectedTheReportHasTheReason() {
    nodes.get(2).followAccesses(false);
    List<EffectReported> reports = reports(asked().addKeys(named(L)).build());
    assertThat(reports)
        .extracting(EffectReported::getAllBecause)
        .containsOnly("node 2 has no access log");
    assertThat(reports).extracting(EffectReported::getKeys).containsOnly(4L);
    assertThat(reports).allMatch(t -> t.getWitnessesCount() == 0);
  }

  @Test
  void tooManyAccessesMakeAllKeysAffected() {
    EffectAsked.Builder asked = asked(at(0, witness));
    asked.getAffectedBuilder().setAccessesMax(1);
    assertThat(reports(asked.build()))
        .extracting(EffectReported::getAllBecause)
        .allMatch(why -> why.endsWith("limit 1"));
  }

  private List<EffectReported> reports(EffectAsked asked) {
    List<ControlRecord> log = new ArrayList<>();
    List<EffectAnswers> answers = new ArrayList<>();
    nodes.forEach(node -> answers.add(new EffectAnswers(node, log::addAll, micros::get)));
    answers.forEach(each -> each.answer(asked));
    EffectQuestions questions = new EffectQuestions(NODES);
    questions.ask(asked);
    for (ControlRecord record : List.copyOf(log)) {
      EffectQuestions.Question done = questions.add(record.getEffect().getAccessed());
      if (done != null) {
        answers.forEach(each -> each.answer(done.asked(), done.accessed()));
      }
    }
    List<EffectReported> reports =
        log.stream()
            .map(ControlRecord::getEffect)
            .filter(step -> step.hasReported())
            .map(step -> step.getReported())
            .toList();
    assertThat(reports).extracting(EffectReported::getNode).containsExactly(0, 1, 2);
    return reports;
  }

  private EffectAsked.Builder asked(Moment... witnesses) {
    Scope scope =
        Scope.newBuilder()
            .addAllWitnesses(List.of(witnesses))
            .setClientsMax(10)
            .setPercentMax(50)
            .setAccessesMax(100)
            .build();
    return EffectAsked.newBuilder().setRequest("q").setTarget(target).setAffected(scope);
  }

  private static Moment at(int node, long hlc) {
    return Moment.newBuilder().setNode(node).setHlc(hlc).build();
  }

  private static io.palinode.wire.v1.StoreKey named(StoreKey key) {
    return io.palinode.wire.v1.StoreKey.newBuilder()
        .setStore(key.store())
        .setKey(ByteString.copyFrom(key.key()))
        .build();
  }

  /** On all nodes; the time of its first acceptance. */
  private long write(String client, int first, StoreKey key, Versioned version, @Nullable Hvc seen)
      throws RefusedException {
    Reply<Boolean> reply = nodes.get(first).writes().put(key, version, caller(client, seen, null));
    for (int i = 1; i < NODES; i++) {
      var unused =
          nodes
              .get((first + i) % NODES)
              .writes()
              .put(key, version, caller(client, reply.hvc(), first));
    }
    return reply.acceptedAt();
  }

  private static Caller caller(String client, @Nullable Hvc hvc, @Nullable Integer origin) {
    return new Caller(hvc, null, client, origin);
  }
}
