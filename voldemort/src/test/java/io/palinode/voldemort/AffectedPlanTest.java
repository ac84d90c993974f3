package io.palinode.voldemort;

import static io.palinode.voldemort.TestNodes.key;
import static io.palinode.voldemort.TestNodes.texts;
import static io.palinode.voldemort.TestNodes.version;
import static org.assertj.core.api.Assertions.assertThat;

import io.palinode.detector.LocalDetector;
import io.palinode.detector.binding.StoreKey;
import io.palinode.detector.ring.CandidateRing;
import io.palinode.detector.terms.ActivePredicate;
import io.palinode.hvc.Hvc;
import io.palinode.predicate.form.Predicates;
import io.palinode.store.control.Command;
import io.palinode.store.control.ControlExecution;
import io.palinode.store.control.ControlState;
import io.palinode.store.control.NodeControl;
import io.palinode.voldemort.TestNodes.Medium;
import io.palinode.voldemort.cluster.StoreDefinition.Persistence;
import io.palinode.voldemort.protocol.Siblings;
import io.palinode.voldemort.protocol.Versioned;
import io.palinode.wire.v1.AtKey;
import io.palinode.wire.v1.ControlRecord;
import io.palinode.wire.v1.Converge;
import io.palinode.wire.v1.Converged;
import io.palinode.wire.v1.Moment;
import io.palinode.wire.v1.Pause;
import io.palinode.wire.v1.PlanOpened;
import io.palinode.wire.v1.Restore;
import io.palinode.wire.v1.Restored;
import io.palinode.wire.v1.Scope;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The nodes' side of a plan that undoes only what came of a write, over one log. */
class AffectedPlanTest {
  private static final int NODES = 3;
  private static final StoreKey K = key("k");
  private static final StoreKey L = key("l");
  private static final StoreKey M = key("m");

  private final AtomicLong micros = TestNodes.clock();
  private final List<ControlRecord> log = new ArrayList<>();
  private final List<Member> members = new ArrayList<>();
  private long target;
  private long witness;

  /** A node, and how far it has read the log. */
  private final class Member {
    private final StoreNode node;
    private final ControlExecution execution;
    private final LocalDetector detector;
    private ControlState state;
    private int read;

    Member(int id) {
      StoreNodeConfig config =
          StoreNodeConfig.of(
              id, TestNodes.cluster(NODES), TestNodes.stores(NODES, Persistence.MEMORY));
      node = new StoreNode(config, Medium.MEMORY.open(Path.of("unused")), micros::incrementAndGet);
      node.followAccesses(true);
      detector = new LocalDetector(node, new CandidateRing(16, 1), p -> 0, 16);
      execution = new ControlExecution(node, detector, log::addAll, micros::get, () -> {});
      state = NodeControl.initial(id, NODES, node.incarnation());
      take(NodeControl.caughtUp(state));
    }

    void read() {
      while (read < log.size()) {
        take(NodeControl.step(state, log.get(read++)));
      }
    }

    private void take(NodeControl.Step step) {
      state = step.next();
      for (Command command : step.commands()) {
        command.execute(execution);
      }
    }

    List<String> values(StoreKey key) {
      return texts(Siblings.decode(node.read(List.of(key)).get(0).siblings()));
    }
  }

  @BeforeEach
  void aWitnessIsReadAndAnotherClientWritesBesideIt() throws RefusedException {
    for (int id = 0; id < NODES; id++) {
      members.add(new Member(id));
    }
    allRead();
    write("alice", 0, K, version("before", 1), 3);
    target = lastOfAll();
    members.forEach(member -> member.node.clock().tickPast(target));
    witness = write("alice", 0, K, version("bad", 2), 2);
    Hvc seen = members.get(1).node.reads().get(K, caller("bob", null, null)).hvc();
    members.get(1).node.writes().put(L, version("came of it", 0, 1), caller("bob", seen, null));
    // Its copies never arrive.
    write("carol", 2, M, version("beside it", 0, 0, 1), 1);
  }

  @AfterEach
  void close() {
    members.forEach(member -> member.node.close());
  }

  @Test
  void whatCameOfTheWitnessGoesBackOnAllReplicasAndTheRestIsCompleted() {
    pause();
    restore(restore(1, scope(70)));
    assertThat(failures(1)).isEmpty();
    converge(1);
    for (Member member : members) {
      assertThat(member.values(K)).containsExactly("before");
      assertThat(member.values(L)).isEmpty();
      assertThat(member.values(M)).containsExactly("beside it");
    }
  }

  @Test
  void aConvergeNamesTheRestoredAndTheStandingKeysOfAClause() {
    String both =
        """
        apiVersion: palinode.io/v1
        kind: Predicate
        metadata: {name: both}
        spec:
          violation:
            - all:
                - {var: k, equals: "before"}
                - {var: m, equals: "never"}
          onViolation:
            rollback: {scope: affected}
        """;
    ActivePredicate active = new ActivePredicate("both", 1, Predicates.parse(both, "both.yaml"));
    members.forEach(member -> member.detector.setPredicates(List.of(active)));
    pause();
    restore(restore(1, scope(70)));
    converge(1);
    List<Converged> reports =
        log.stream().filter(ControlRecord::hasConverged).map(ControlRecord::getConverged).toList();
    assertThat(reports.stream().flatMap(each -> each.getBackList().stream()))
        .extracting(AtKey::getKey)
        .isNotEmpty()
        .containsOnly(StoreNode.keyOfAccess(K));
    assertThat(reports.stream().flatMap(each -> each.getStoodList().stream()))
        .extracting(AtKey::getKey)
        .isNotEmpty()
        .containsOnly(StoreNode.keyOfAccess(M));
  }

  @Test
  void whereItIsEverythingNoNodeUndoesAnythingAndTheNextAttemptDoesAll() {
    pause();
    restore(restore(1, scope(50)));
    assertThat(failures(1))
        .hasSize(NODES)
        .allMatch(why -> why.equals("2 of 3 keys that changed would go back: more than 50 %"));
    assertThat(members.get(1).values(L)).containsExactly("came of it");
    restore(restore(2, null));
    converge(2);
    for (Member member : members) {
      assertThat(member.values(K)).containsExactly("before");
      assertThat(member.values(L)).isEmpty();
      assertThat(member.values(M)).isEmpty();
    }
  }

  @Test
  void aNodeThatHasNotNotedItMakesItEverything() {
    members.get(2).node.followAccesses(false);
    pause();
    restore(restore(1, scope(70)));
    assertThat(failures(1)).hasSize(NODES).containsOnly("node 2 has no access log");
  }

  private long write(String client, int first, StoreKey key, Versioned version, int replicas)
      throws RefusedException {
    Reply<Boolean> reply =
        members.get(first).node.writes().put(key, version, caller(client, null, null));
    for (int i = 1; i < replicas; i++) {
      Caller copy = caller(client, reply.hvc(), first);
      members.get((first + i) % NODES).node.writes().put(key, version, copy);
    }
    return reply.acceptedAt();
  }

  private static Caller caller(String client, @Nullable Hvc hvc, @Nullable Integer origin) {
    return new Caller(hvc, null, client, origin);
  }

  private Scope scope(int percentMax) {
    return Scope.newBuilder()
        .addWitnesses(Moment.newBuilder().setNode(0).setHlc(witness))
        .setClientsMax(10)
        .setPercentMax(percentMax)
        .setAccessesMax(100)
        .build();
  }

  private Restore restore(int attempt, @Nullable Scope scope) {
    Restore.Builder restore =
        Restore.newBuilder().setAttempt(attempt).setTarget(target).setPast(lastOfAll());
    return scope == null ? restore.build() : restore.setAffected(scope).build();
  }

  private void pause() {
    append(step().setPlanOpened(PlanOpened.newBuilder().setTarget(target)));
    append(step().setPause(Pause.getDefaultInstance()));
  }

  private void restore(Restore asked) {
    append(step().setRestore(asked));
  }

  private void converge(int attempt) {
    append(step().setConverge(Converge.newBuilder().setAttempt(attempt)));
    assertThat(log.stream().filter(ControlRecord::hasConverged).map(ControlRecord::getConverged))
        .extracting(Converged::getNode)
        .containsExactlyInAnyOrder(0, 1, 2);
  }

  private List<String> failures(int attempt) {
    return log.stream()
        .filter(ControlRecord::hasRestored)
        .map(ControlRecord::getRestored)
        .filter(restored -> restored.getAttempt() == attempt)
        .map(Restored::getFailure)
        .filter(failure -> !failure.isEmpty())
        .toList();
  }

  private static ControlRecord.Builder step() {
    return ControlRecord.newBuilder().setEpoch(1);
  }

  private void append(ControlRecord.Builder record) {
    log.add(record.build());
    allRead();
  }

  private void allRead() {
    while (members.stream().anyMatch(member -> member.read < log.size())) {
      members.forEach(Member::read);
    }
  }

  private long lastOfAll() {
    return members.stream()
        .mapToLong(member -> member.node.clock().last().own())
        .max()
        .orElseThrow();
  }
}
