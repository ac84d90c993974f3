package io.palinode.orchestrator.snapshot;

import static org.assertj.core.api.Assertions.assertThat;

import io.palinode.orchestrator.request.RefusedException;
import io.palinode.wire.v1.SnapshotStep;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Random requests, answers and restarts over one log. */
class SnapshotReplayTest extends SnapshotMachineFixture {
  private static final int SEEDS = Integer.getInteger("palinode.seeds", 500);

  /** Kills the orchestrator anywhere; a successor replays the log and continues. */
  @Test
  void aSuccessorReplaysTheLogAndContinues() throws RefusedException {
    for (long seed = 0; seed < SEEDS; seed++) {
      Run run = new Run(seed);
      run.go(60);
      run.assertReplayKnowsTheSame();
      run.finish();
    }
  }

  /** Random requests, answers, losses and restarts. */
  private static final class Run {
    private final Random random;
    private final String label;
    private final List<SnapshotStep> log = new ArrayList<>();
    private final Set<String> answered = new HashSet<>();
    private SnapshotMachine machine = new SnapshotMachine(SETTINGS);
    private long now = 1_000_000;

    Run(long seed) {
      random = new Random(seed);
      label = "seed=" + seed;
      append(machine.caughtUp(now));
    }

    void go(int steps) throws RefusedException {
      for (int i = 0; i < steps; i++) {
        now += random.nextInt(3_000_000);
        switch (random.nextInt(8)) {
          case 0, 1 -> request();
          case 2 -> operator();
          case 3 -> restart();
          case 4 -> append(machine.tick(now));
          default -> answerSome();
        }
      }
    }

    private void request() {
      boolean hasBase = random.nextBoolean();
      boolean rolling = hasBase && random.nextBoolean();
      String id = "s" + random.nextInt(4);
      try {
        append(
            List.of(
                machine.request(
                    new SnapshotRequest(
                        rolling ? null : id,
                        null,
                        hasBase ? "s" + random.nextInt(4) : null,
                        rolling,
                        random.nextInt(3)),
                    now)));
      } catch (RefusedException refused) {
        // As it may be.
      }
    }

    private void operator() {
      String id = "s" + random.nextInt(4);
      try {
        append(List.of(random.nextBoolean() ? machine.cancel(id) : machine.delete(id)));
      } catch (RefusedException refused) {
        // As it may be.
      }
    }

    private void answerSome() {
      for (SnapshotStep step : List.copyOf(log)) {
        if (step.hasTake() && random.nextInt(3) == 0) {
          answer(step.getTake().getNumber(), step.getTake().getNode());
        }
      }
    }

    private void answer(long number, int node) {
      if (answered.add(number + "/" + node)) {
        append(List.of(taken(number, node, random.nextInt(8) == 0 ? "failed" : "")));
      }
    }

    private void restart() {
      machine = replayed();
      append(machine.caughtUp(now));
    }

    private SnapshotMachine replayed() {
      SnapshotMachine fresh = new SnapshotMachine(SETTINGS);
      log.forEach(step -> assertThat(fresh.read(step, now, now)).isEmpty());
      return fresh;
    }

    private void append(List<SnapshotStep> steps) {
      Deque<SnapshotStep> due = new ArrayDeque<>(steps);
      while (!due.isEmpty()) {
        SnapshotStep step = due.remove();
        log.add(step);
        due.addAll(machine.read(step, now, now));
      }
    }

    void assertReplayKnowsTheSame() {
      assertThat(ids(replayed())).as(label).isEqualTo(ids(machine));
    }

    private static List<String> ids(SnapshotMachine some) {
      return some.all().stream()
          .map(s -> s.id() + s.number() + s.phase() + s.opened().getHlc())
          .toList();
    }

    /** Once every node answers or is given up, nothing is being taken any more. */
    void finish() {
      for (int i = 0; i < 20; i++) {
        now += 31_000_000;
        append(machine.tick(now));
      }
      assertThat(machine.all()).as(label).noneMatch(s -> s.phase() == Snapshot.Phase.TAKING);
      for (Snapshot snapshot : machine.all()) {
        boolean isWhole =
            snapshot.nodes().stream().allMatch(n -> n.state() == NodePart.State.TAKEN);
        assertThat(snapshot.phase() == Snapshot.Phase.COMPLETE)
            .as(label)
            .isEqualTo(isWhole && snapshot.isStanding());
        if (snapshot.isStanding() && !snapshot.base().isEmpty()) {
          Snapshot base = machine.get(snapshot.base());
          assertThat(base).as("%s %s stands on nothing", label, snapshot.id()).isNotNull();
          assertThat(Objects.requireNonNull(base).number())
              .as("%s %s", label, snapshot.id())
              .isEqualTo(snapshot.opened().getBase().getNumber());
        }
      }
    }
  }
}
