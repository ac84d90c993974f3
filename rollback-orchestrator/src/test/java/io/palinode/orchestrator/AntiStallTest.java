package io.palinode.orchestrator;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.palinode.orchestrator.plan.Plan;
import io.palinode.orchestrator.plan.ServingNodes;
import io.palinode.orchestrator.state.ControlLogState;
import io.palinode.orchestrator.state.FrequentRollbacks;
import io.palinode.orchestrator.state.Gates;
import io.palinode.orchestrator.state.Plans;
import io.palinode.orchestrator.step.AntiStall;
import io.palinode.orchestrator.violations.Coverage;
import io.palinode.orchestrator.violations.SequentialSpan;
import io.palinode.orchestrator.violations.TouchedInstance;
import io.palinode.orchestrator.violations.TouchingRollback;
import io.palinode.predicate.OnViolation.WhenFrequent;
import io.palinode.predicate.template.Template;
import io.palinode.wire.v1.ControlRecord;
import io.palinode.wire.v1.PlanOpened;
import io.palinode.wire.v1.Resume;
import io.palinode.wire.v1.Touched;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** More than two rollbacks in ten seconds are frequent here; a plan takes no time. */
class AntiStallTest {
  private static final int SEEDS = Integer.getInteger("palinode.seeds", 1_500) / 100;
  private static final long PER = 10_000_000;
  private static final WhenFrequent FREQUENT =
      new WhenFrequent(2, Duration.ofSeconds(10), List.of(Template.parse("lock_{e}")));
  private static final Set<String> A = Set.of("in_a_1", "in_a_2");

  private final Script script = Script.of(1, Policies.frequent("p", FREQUENT));
  private long epoch;
  private long hlc = 1_000;

  @Test
  void keysThatTooManyRollbacksTouchAreSequentialAndSoAreTheirGuards() {
    rollBack("e=a", A);
    rollBack("e=a", A);
    assertThat(spans()).isEmpty();
    rollBack("e=a", A);
    assertThat(spans()).hasSize(1);
    SequentialSpan span = spans().get(0);
    assertThat(texts(span)).containsExactly("in_a_1", "in_a_2", "lock_a");
    assertThat(span.untilMicros() - span.sinceMicros()).isEqualTo(PER);
    assertThat(script.alerts())
        .filteredOn(alert -> alert.kind() == Alert.Kind.ROLLBACKS_FREQUENT)
        .singleElement()
        .satisfies(
            alert ->
                assertThat(alert.annotations().get("summary"))
                    .contains("3 keys of 1 instances", "10000 ms"));
  }

  @Test
  void rollbacksThatTouchOtherKeysOrAreLongAgoDoNotCount() {
    rollBack("e=a", A);
    rollBack("e=b", Set.of("in_b_1", "in_b_2"));
    rollBack("e=c", Set.of("in_c_1", "in_c_2"));
    rollBack("e=a", A);
    script.pass(PER);
    rollBack("e=a", A);
    assertThat(spans()).isEmpty();
  }

  @Test
  void rollbacksThatShareAKeyCountTogetherAcrossInstances() {
    rollBack("e=a", A);
    rollBack("e=b", Set.of("in_a_1", "in_b"));
    rollBack("e=c", Set.of("in_a_1", "in_c"));
    assertThat(texts(spans().get(0))).containsExactly("in_a_1", "in_c", "lock_c");
  }

  @Test
  void itIsOverWhenTheTimeHasPassedWithoutARollbackOfThePredicate() {
    enter();
    long since = spans().get(0).sinceMicros();
    script.pass(PER - 1_000);
    rollBack("e=b", Set.of("in_b"));
    script.pass(PER - 1);
    assertThat(inForce()).isTrue();
    assertThat(spans().get(0).sinceMicros()).isEqualTo(since);
    script.pass(1);
    assertThat(inForce()).isFalse();
  }

  @Test
  void instancesOfAPredicateGoTogetherAndComeBackTogether() {
    enter();
    script.pass(PER / 2);
    enter("e=b", Set.of("in_b"));
    assertThat(spans()).extracting(SequentialSpan::untilMicros).doesNotContain(0L).hasSize(2);
    assertThat(spans().stream().map(SequentialSpan::untilMicros).distinct()).hasSize(1);
    script.pass(PER + 1);
    assertThat(inForce()).isFalse();
    rollBack("e=c", Set.of("in_c"));
    assertThat(inForce()).isFalse();
    rollBack("e=b", Set.of("in_b"));
    assertThat(spans()).hasSize(2).allMatch(s -> s.isInForce(script.state().nowMicros()));
  }

  @Test
  void oneRollbackSoonAfterBringsItBackForTwiceAsLongUpToACap() {
    enter();
    long hold = PER;
    for (int again = 0; again < 10; again++) {
      script.pass(hold + 1_000);
      assertThat(inForce()).isFalse();
      rollBack("e=a", A);
      hold = Math.min(2 * hold, PER << AntiStall.DOUBLINGS_MAX);
      SequentialSpan span = spans().get(0);
      assertThat(span.untilMicros() - span.sinceMicros()).isEqualTo(hold);
      assertThat(span.isInForce(script.state().nowMicros())).isTrue();
    }
  }

  @Test
  void itIsForgottenAfterAsLongAgain() {
    enter();
    script.pass(2 * PER + 1_000);
    rollBack("e=a", A);
    assertThat(spans()).isEmpty();
  }

  @Test
  void allKeysAreSequentialWhenThoseKeysDidNotHelp() {
    enter();
    for (int inVain = 0; inVain < 2; inVain++) {
      rollBack("e=a", A);
      assertThat(spans()).noneMatch(SequentialSpan::isAll);
    }
    rollBack("e=a", A);
    assertThat(spans()).anyMatch(SequentialSpan::isAll);
    assertThat(lastResume().getSequentialUntilMicros()).isEqualTo(script.state().nowMicros() + PER);
  }

  @Test
  void allKeysAreSequentialWhenRollbacksAreFrequentButOfNoKeysMoreThanOthers() {
    for (int i = 0; i < 2 * AntiStall.SPREAD; i++) {
      rollBack("e=" + i, Set.of("in_" + i));
      assertThat(spans()).isEmpty();
    }
    rollBack("e=other", Set.of("in_other"));
    assertThat(spans()).singleElement().matches(SequentialSpan::isAll);
  }

  @Test
  void allKeysAreSequentialWhenTheyWouldBeTooManyToName() {
    int each = 48;
    for (int edge = 0; edge < AntiStall.KEYS_MAX / (each + 1); edge++) {
      enter("e=" + edge, keys(edge, each));
      assertThat(spans()).noneMatch(SequentialSpan::isAll);
    }
    enter("e=last", keys(1_000, each));
    assertThat(spans()).anyMatch(SequentialSpan::isAll);
    assertThat(spans().stream().mapToInt(span -> span.keys().size()).sum())
        .isLessThanOrEqualTo(AntiStall.KEYS_MAX);
  }

  @Test
  void theOldestEndedTimeIsForgottenFirst() {
    enter("e=a", Set.of("a".repeat(30_000)));
    script.pass(1_000);
    enter("e=b", Set.of("b".repeat(30_000)));
    script.pass(PER + 1_000);
    enter("e=c", Set.of("c".repeat(10_000)));
    assertThat(spans()).extracting(SequentialSpan::binding).containsExactlyInAnyOrder("e=b", "e=c");
  }

  @Test
  void aNameTooLongToKeepLeavesRoomForOlderOnes() {
    enter("e=a", Set.of("a".repeat(10_000)));
    script.pass(1_000);
    enter("e=b", Set.of("b".repeat(40_000)));
    script.pass(PER + 1_000);
    enter("e=c", Set.of("c".repeat(30_000)));
    assertThat(spans()).extracting(SequentialSpan::binding).containsExactlyInAnyOrder("e=a", "e=c");
  }

  @Test
  void aBindingThatDoesNotFillTheGuardsHasNone() {
    for (int i = 0; i < 3; i++) {
      rollBack("other=1", A);
    }
    assertThat(texts(spans().get(0))).containsExactly("in_a_1", "in_a_2");
  }

  /** Nodes stay paused meanwhile, so the decision compares no pair of keys. */
  @Test
  @Timeout(120)
  void aDecisionOverAllThatTheLogRemembersIsQuick() {
    List<TouchingRollback> longest = new ArrayList<>();
    for (int r = 1; r <= Plans.PAST_MAX; r++) {
      List<TouchedInstance> touches = new ArrayList<>();
      for (int t = 0; t < TouchingRollback.TOUCHES_MAX; t++) {
        int of = r * 1_000 + t;
        touches.add(
            new TouchedInstance(
                "p",
                "e=" + t,
                IntStream.range(0, TouchedInstance.KEYS_MAX)
                    .mapToObj(k -> ByteString.copyFromUtf8("k" + of % 9_973 + "_" + k))
                    .toList()));
      }
      longest.add(new TouchingRollback(r, script.state().nowMicros(), touches, false));
    }
    ControlLogState known = script.state().log();
    ControlLogState log =
        new ControlLogState(
            1,
            new Plans(Plans.PAST_MAX - 1, null, List.of(), ServingNodes.NONE),
            0,
            known.snapshots(),
            new FrequentRollbacks(longest, List.of()),
            Gates.NONE,
            Coverage.NONE);
    ControlRecord opened =
        ControlRecord.newBuilder()
            .setEpoch(Plans.PAST_MAX)
            .setPlanOpened(PlanOpened.getDefaultInstance())
            .build();
    List<SequentialSpan> spans = AntiStall.after(script.state().with(log), Plan.opened(opened));
    assertThat(spans).anyMatch(SequentialSpan::isAll);
  }

  @Test
  void theLongKeysOfARecordAreBoundedInBytes() {
    List<TouchedInstance> touches = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      ByteString key = ByteString.copyFromUtf8(i + "x".repeat(i == 3 ? 100_000 : 20_000));
      touches.add(new TouchedInstance("p", "e=" + i, List.of(key)));
    }
    assertThat(TouchingRollback.bounded(touches.stream()))
        .extracting(Touched::getBinding)
        .containsExactly("e=0", "e=1", "e=2");
  }

  @Test
  void restartsChangeNoDecision() {
    for (long seed = 0; seed < SEEDS; seed++) {
      assertThat(decisions(seed, true)).as("seed=%d", seed).isEqualTo(decisions(seed, false));
    }
  }

  /** Without a rollback for long enough, no key is sequential. */
  @Test
  void calmEndsItForEverySeed() {
    for (long seed = 0; seed < SEEDS; seed++) {
      AntiStallTest run = new AntiStallTest();
      run.conflicts(seed, false);
      run.script.pass(PER << AntiStall.DOUBLINGS_MAX);
      assertThat(run.inForce()).as("seed=%d", seed).isFalse();
    }
  }

  private static List<List<SequentialSpan>> decisions(long seed, boolean restarts) {
    return new AntiStallTest().conflicts(seed, restarts);
  }

  private List<List<SequentialSpan>> conflicts(long seed, boolean restarts) {
    Random random = new Random(seed);
    List<List<SequentialSpan>> decided = new ArrayList<>();
    for (int i = 0; i < 40; i++) {
      script.pass(random.nextInt(3) == 0 ? random.nextLong(2 * PER) : random.nextLong(PER / 10));
      int instance = random.nextInt(5);
      rollBack("e=" + instance, Set.of("x_" + instance, "y_" + instance % 2), restarts);
      decided.add(spans());
    }
    return decided;
  }

  private void enter() {
    enter("e=a", A);
  }

  private void enter(String binding, Set<String> keys) {
    for (int i = 0; i < 3; i++) {
      rollBack(binding, keys);
    }
  }

  private void rollBack(String binding, Set<String> keys) {
    rollBack(binding, keys, false);
  }

  private void rollBack(String binding, Set<String> keys, boolean restarts) {
    hlc += 1_000;
    script.violation("p", binding, hlc, epoch, keys).judged(hlc);
    epoch++;
    script.paused(epoch, 0, 0);
    if (restarts) {
      script.restart();
    }
    script.restored(epoch, 0, 1);
    if (restarts) {
      script.restart();
    }
    script.converged(epoch, 0, 1, "none");
    assertThat(script.state().log().epoch()).isEqualTo(epoch);
  }

  private Resume lastResume() {
    return script.control().stream()
        .filter(ControlRecord::hasResume)
        .reduce((first, second) -> second)
        .orElseThrow()
        .getResume();
  }

  private boolean inForce() {
    return spans().stream().anyMatch(span -> span.isInForce(script.state().nowMicros()));
  }

  private List<SequentialSpan> spans() {
    return script.state().log().frequent().sequential();
  }

  private static Set<String> keys(int edge, int count) {
    return IntStream.range(0, count).mapToObj(i -> edge + "_" + i).collect(Collectors.toSet());
  }

  private static List<String> texts(SequentialSpan span) {
    return span.keys().stream().map(ByteString::toStringUtf8).toList();
  }
}
