package io.palinode.orchestrator;

import static org.assertj.core.api.Assertions.assertThat;

import io.palinode.hvc.Hlc;
import io.palinode.orchestrator.policy.Policy;
import io.palinode.orchestrator.request.Intervention;
import io.palinode.orchestrator.request.RollbackRequest;
import io.palinode.predicate.OnViolation.OnUnreachable;
import io.palinode.wire.v1.ControlRecord;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Plans that go to a snapshot, by a policy or by hand, with a crash before or after each event. The
 * control log must be the same. Times are microseconds.
 */
class SnapshotFallbackCrashTest {
  private static final Policy P = Policies.whenUnreachable("p", OnUnreachable.NEAREST_SNAPSHOT);

  /**
   * The events, and the orchestrator's last steps.
   *
   * @param request the snapshot that an operator asks for; empty: none does
   */
  private record Story(
      String name, String request, List<Consumer<Script>> happens, List<String> end) {
    Story(String name, List<Consumer<Script>> happens, List<String> end) {
      this(name, "", happens, end);
    }

    @Override
    public String toString() {
      return name;
    }

    Script begin() {
      Script script = Script.of(2, P);
      if (request.isEmpty()) {
        return script;
      }
      script.snapshot("old", 1, 200, 2).snapshot("near", 2, 400, 2).judged(450);
      return script.wish(RollbackRequest.toSnapshot("by-hand", request));
    }

    /** The first event after which both nodes are paused. */
    int paused() {
      return request.isEmpty() ? OUT_OF_REACH.size() - 1 : 1;
    }
  }

  private static final List<Consumer<Script>> OUT_OF_REACH =
      List.of(
          s -> s.snapshot("old", 1, 200, 2),
          s -> s.snapshot("near", 2, 400, 2),
          s -> s.judged(450),
          s -> s.violation("v1", "p", 100, 500),
          s -> s.pausedAt(1, 1, 700),
          s -> s.paused(1, 0, 550),
          s -> s.judged(600));

  static Stream<Story> stories() {
    return Stream.of(
        new Story(
            "the newest snapshot is whole and holds nothing",
            then(
                s -> s.restored(1, 0, 1),
                s -> s.restored(1, 1, 1),
                s -> s.convergedAt(1, 1, 1, 900),
                s -> s.convergedAt(1, 0, 1, 950)),
            List.of(
                "1: restore 1 to 400 by near", "1: converge 1", "1: resume from 400 after 950")),
        new Story(
            "a node's part is damaged",
            then(
                s -> s.restored(1, 0, 1),
                s -> s.refused(1, 1, 1, "block 3 is damaged"),
                s -> s.restored(1, 1, 2),
                s -> s.restored(1, 0, 2),
                s -> s.convergedAt(1, 0, 2, 900),
                s -> s.convergedAt(1, 1, 2, 900)),
            List.of(
                "1: restore 1 to 400 by near",
                "1: restore 2 to 200 by old",
                "1: converge 2",
                "1: resume from 200 after 900")),
        new Story(
            "the newest snapshot is violated itself",
            then(
                s -> s.restored(1, 0, 1),
                s -> s.restored(1, 1, 1),
                s -> s.converged(1, 0, 1, "p", 0, 1),
                s -> s.convergedAt(1, 1, 1, 800),
                s -> s.restored(1, 0, 2),
                s -> s.restored(1, 1, 2),
                s -> s.convergedAt(1, 0, 2, 900),
                s -> s.convergedAt(1, 1, 2, 900)),
            List.of("1: restore 2 to 200 by old", "1: converge 2", "1: resume from 200 after 900")),
        new Story(
            "differing keys are exchanged in two rounds, and the node that loses its answer ends the"
                + " second",
            then(
                s -> s.restored(1, 0, 1),
                s -> s.restored(1, 1, 1),
                s -> s.convergedUpTo(1, 0, 1, "s"),
                s -> s.convergedUpTo(1, 1, 1, "s"),
                s -> s.restored(1, 0, 2),
                s -> s.restored(1, 1, 2),
                s -> s.refused(1, 1, 2, "it is lost"),
                s -> s.restored(1, 0, 3),
                s -> s.restored(1, 1, 3),
                s -> s.convergedAt(1, 0, 3, 900),
                s -> s.convergedAt(1, 1, 3, 900)),
            List.of(
                "1: restore 2 to 400 by near from s",
                "1: converge 2",
                "1: restore 3 to 200 by old",
                "1: converge 3",
                "1: resume from 200 after 900")),
        new Story(
            "the chosen snapshot is deleted on the way",
            then(
                s -> s.snapshotDeleted("near"),
                s -> s.refused(1, 0, 1, "there is no snapshot near"),
                s -> s.restored(1, 0, 2),
                s -> s.restored(1, 1, 2),
                s -> s.convergedAt(1, 0, 2, 900),
                s -> s.convergedAt(1, 1, 2, 900)),
            List.of("1: restore 2 to 200 by old", "1: converge 2", "1: resume from 200 after 900")),
        new Story(
            "no snapshot is left",
            then(s -> s.refused(1, 0, 1, "damaged"), s -> s.refused(1, 1, 2, "damaged")),
            List.of(
                "1: halt: node 1 could not restore: damaged; no whole snapshot before it can be"
                    + " restored")),
        new Story(
            "an operator asks for the older one",
            "old",
            List.of(
                s -> s.pausedAt(1, 1, 700),
                s -> s.paused(1, 0, 550),
                s -> s.restored(1, 0, 1),
                s -> s.restored(1, 1, 1),
                s -> s.convergedUpTo(1, 1, 1, "s"),
                s -> s.convergedUpTo(1, 0, 1, "s"),
                s -> s.restored(1, 1, 2),
                s -> s.restored(1, 0, 2),
                s -> s.convergedAt(1, 1, 2, 900),
                s -> s.convergedAt(1, 0, 2, 950)),
            List.of(
                "1: restore 1 to 200 by old",
                "1: restore 2 to 200 by old from s",
                "1: resume from 200 after 950")),
        new Story(
            "a node cannot restore the one that an operator asked for",
            "near",
            List.of(
                s -> s.pausedAt(1, 1, 700),
                s -> s.paused(1, 0, 550),
                s -> s.restored(1, 0, 1),
                s -> s.refused(1, 1, 1, "damaged")),
            List.of("1: restore 1 to 400 by near", "1: halt: node 1 could not restore: damaged")));
  }

  @ParameterizedTest
  @MethodSource("stories")
  void itEndsAsExpected(Story story) {
    Script script = story.begin();
    story.happens().forEach(event -> event.accept(script));
    assertThat(script.steps()).containsSubsequence(story.end()).endsWith(last(story.end()));
  }

  @ParameterizedTest
  @MethodSource("stories")
  void anOrchestratorThatCrashesAfterAnyEventContinuesThePlan(Story story) {
    List<ControlRecord> undisturbed = played(story);
    for (int crash = 0; crash < story.happens().size(); crash++) {
      Script script = story.begin();
      for (int i = 0; i < story.happens().size(); i++) {
        story.happens().get(i).accept(script);
        if (i == crash) {
          script.restart();
        }
      }
      assertThat(log(script)).as("after event %d", crash).isEqualTo(undisturbed);
    }
  }

  @ParameterizedTest
  @MethodSource("stories")
  void anOrchestratorThatLosesItsAnswerToAnyEventDecidesAgain(Story story) {
    List<ControlRecord> undisturbed = played(story);
    for (int crash = 0; crash < story.happens().size(); crash++) {
      Script script = story.begin();
      for (int i = 0; i < story.happens().size(); i++) {
        if (i == crash) {
          script.holdLog();
          story.happens().get(i).accept(script);
          script.loseHeld().restart();
        } else {
          story.happens().get(i).accept(script);
        }
      }
      assertThat(log(script)).as("at event %d", crash).isEqualTo(undisturbed);
    }
  }

  /** The node loses its window-log; its work for the plan is on its disk. */
  @ParameterizedTest
  @MethodSource("stories")
  void aNodeThatRestartsAfterAnyEventChangesNothing(Story story) {
    List<String> undisturbed = steps(story, -1);
    for (int crash = story.paused(); crash < story.happens().size(); crash++) {
      assertThat(steps(story, crash)).as("after event %d", crash).isEqualTo(undisturbed);
    }
  }

  @Test
  void aRetryBeginsAgainWithTheNewestSnapshotAsItsPartMayBeRepaired() {
    Script script = Script.of(2, P);
    OUT_OF_REACH.forEach(event -> event.accept(script));
    script.refused(1, 0, 1, "damaged").refused(1, 1, 2, "damaged").steps();
    assertThat(script.restart().operator(1, Intervention.RETRY).steps())
        .containsExactly("1: retry 1", "1: restore 3 to 400 by near");
  }

  @Test
  void anAbandonAfterOneNodeWentToASnapshotMakesAllEqualUnderASuccessor() {
    Script script = Script.of(2, P);
    OUT_OF_REACH.forEach(event -> event.accept(script));
    script.restored(1, 0, 1).refused(1, 1, 1, "damaged").refused(1, 1, 2, "damaged").steps();
    script.operator(1, Intervention.ABANDON).restart();
    script.restored(1, 0, 3).restored(1, 1, 3);
    script.restart().convergedAt(1, 0, 3, 900).convergedAt(1, 1, 3, 900);
    assertThat(script.steps()).contains("1: keep all 3 to 200", "1: converge 3");
    assertThat(script.state().log().plans().pastPlan(1)).matches(plan -> plan.abandoned());
    assertThat(script.state().safePoint()).isEqualTo(Hlc.ofMicros(450));
  }

  private static List<String> steps(Story story, int restartedAfter) {
    Script script = story.begin();
    for (int i = 0; i < story.happens().size(); i++) {
      story.happens().get(i).accept(script);
      if (i == restartedAfter) {
        script.joined(1, 800).paused(1, 1, 800);
      }
    }
    return script.steps();
  }

  private static List<ControlRecord> played(Story story) {
    Script script = story.begin();
    story.happens().forEach(event -> event.accept(script));
    return log(script);
  }

  /** The safe point belongs to no plan and is published by time. */
  private static List<ControlRecord> log(Script script) {
    return script.control().stream().filter(record -> !record.hasSafePoint()).toList();
  }

  @SafeVarargs
  private static List<Consumer<Script>> then(Consumer<Script>... more) {
    List<Consumer<Script>> all = new ArrayList<>(OUT_OF_REACH);
    for (Consumer<Script> one : more) {
      all.add(one);
    }
    return List.copyOf(all);
  }

  private static String last(List<String> steps) {
    return steps.get(steps.size() - 1);
  }
}
