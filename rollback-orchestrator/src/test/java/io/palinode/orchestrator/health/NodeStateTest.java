package io.palinode.orchestrator.health;

import static org.assertj.core.api.Assertions.assertThat;

import io.palinode.orchestrator.Status;
import io.palinode.orchestrator.Unrestorable;
import io.palinode.orchestrator.health.NodeState.Word;
import io.palinode.orchestrator.plan.ServingNodes;
import io.palinode.orchestrator.step.GateStatus;
import io.palinode.wire.plan.Phase;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class NodeStateTest {
  private static final long SECOND = 1_000_000;
  private static final long NOW = 1_000 * SECOND;

  private final List<Wait> waits = new ArrayList<>();
  private @Nullable Phase phase;
  private List<Unrestorable> unrestorable = List.of();
  private ServingNodes serving = ServingNodes.NONE;

  @Test
  void everyNodeHasAStateAlsoOneThatNeverJoined() {
    assertThat(states())
        .extracting(NodeState::word)
        .containsExactly(Word.SERVES, Word.NEVER_JOINED);
    assertThat(states().get(1).word().needsOperator()).isTrue();
    assertThat(states().get(1).node().node()).isEqualTo(1);
  }

  @Test
  void aWaitForANodeIsItsReasonAndStandsStillAfterFiveSeconds() {
    waits.add(wait(0, NOW - 2 * SECOND));
    NodeState late = states().get(0);
    assertThat(late.word()).isEqualTo(Word.LATE);
    assertThat(late.sinceMicros()).isEqualTo(NOW - 2 * SECOND);
    assertThat(late.why()).isEqualTo("publishes nothing; start it");
    assertThat(late.word().needsOperator()).isFalse();
    waits.set(0, wait(0, NOW - 6 * SECOND));
    assertThat(states().get(0).word()).isEqualTo(Word.STANDS_STILL);
    assertThat(states().get(0).word().label()).isEqualTo("stands still");
    assertThat(states().get(0).word().needsOperator()).isTrue();
  }

  @Test
  void anAgentThatTurnedItselfOffIsShownAtOnceWithItsReason() {
    waits.add(
        new Wait(
            Wait.Reason.AGENT, 0, NOW, "the agent of node 0 is off: a bug", "restart its server"));
    NodeState off = states().get(0);
    assertThat(off.word()).isEqualTo(Word.AGENT_OFF);
    assertThat(off.word().label()).isEqualTo("agent off");
    assertThat(off.word().needsOperator()).isTrue();
    assertThat(off.why()).isEqualTo("the agent of node 0 is off: a bug; restart its server");
    phase = Phase.RESTORING;
    assertThat(states().get(0).word()).isEqualTo(Word.AGENT_OFF);
  }

  @Test
  void aNodeThatAwaitsItsRepairDoesNotServe() {
    waits.add(new Wait(Wait.Reason.REPAIR, 0, NOW, "node 0 lacks data", "run 'palinode repair'"));
    assertThat(states().get(0).word().label()).isEqualTo("awaits repair");
    assertThat(states().get(0).word().needsOperator()).isTrue();
  }

  @Test
  void aWaitForNoNodeChangesNone() {
    waits.add(new Wait(Wait.Reason.JOB, null, NOW - 60 * SECOND, "the job", "start it"));
    assertThat(states().get(0).word()).isEqualTo(Word.SERVES);
  }

  @Test
  void aNodeThatCannotDoThePredicatesRollbacksServesAndSaysWhy() {
    unrestorable = List.of(new Unrestorable("p", 0, "shop.hits/: a view"));
    assertThat(states().get(0).word()).isEqualTo(Word.SERVES);
    assertThat(states().get(0).why())
        .isEqualTo(
            "predicate 'p' asks for rollbacks, but node 0 cannot restore shop.hits/: a view");
    assertThat(states().get(1).why()).isNull();
  }

  @Test
  void aRollbackIsShownUntilTheNodeServesItsEpoch() {
    phase = Phase.RESTORING;
    assertThat(states().get(0).word()).isEqualTo(Word.IN_ROLLBACK);
    phase = Phase.HALTED;
    assertThat(states().get(0).word()).isEqualTo(Word.HALTED);
    phase = null;
    serving = new ServingNodes(1, Set.of(0), Set.of(), NOW);
    assertThat(states().get(0).word()).isEqualTo(Word.RESUMING);
    serving = new ServingNodes(1, Set.of(0), Set.of(0), NOW);
    assertThat(states().get(0).word()).isEqualTo(Word.SERVES);
  }

  private List<NodeState> states() {
    NodeStatus joined = new NodeStatus(0, 1, 1, 1, "", "", "0.1.0", "node_joined", 1);
    return NodeState.all(List.of(joined), status(), new Judgement(waits, true, 0, NOW, NOW));
  }

  private Status status() {
    return new Status(
        1,
        null,
        phase,
        null,
        null,
        serving,
        90,
        10,
        95,
        5,
        null,
        0,
        0,
        1,
        1,
        1,
        1,
        2,
        1,
        List.of(),
        GateStatus.OPEN,
        List.of(),
        unrestorable,
        null,
        null);
  }

  private static Wait wait(int node, long since) {
    return new Wait(
        Wait.Reason.NODE, node, since, "node %d publishes nothing".formatted(node), "start it");
  }
}
