package io.palinode.detection;

import static org.assertj.core.api.Assertions.assertThat;

import io.palinode.detection.ReplicaHistory.Episode;
import io.palinode.detection.ReplicaHistory.Kind;
import io.palinode.detection.ReplicaHistory.Line;
import io.palinode.detection.stream.Detector;
import io.palinode.hvc.Causality;
import io.palinode.hvc.Epsilon;
import io.palinode.hvc.Grade;
import io.palinode.hvc.Hlc;
import io.palinode.hvc.Uncertainty;
import io.palinode.predicate.ClauseRule;
import io.palinode.predicate.ClauseShape;
import io.palinode.predicate.ReplicaRule;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Compared with an oracle that checks every pair of replicas at every moment. */
class DivergenceOracleTest {
  private static final int SEEDS = Seeds.count(4_000);

  /** A moment of the history; the language has whole milliseconds. */
  private static final long MOMENT = ReplicaHistory.MOMENT_MICROS;

  @Test
  void eachEpisodeIsReportedOnceAtTheMomentAtWhichItHadLastedSoLong() {
    int found = 0;
    for (long seed = 0; seed < SEEDS; seed++) {
      found += check(seed);
    }
    assertThat(found).isGreaterThan(SEEDS / 2);
  }

  private static int check(long seed) {
    Random random = new Random(seed);
    ReplicaHistory history = new ReplicaHistory(random);
    int longerThan = 1 + random.nextInt(20);
    int epsilon = random.nextInt(4);
    boolean unbounded = random.nextInt(8) == 0;
    DetectionSpec spec =
        new DetectionSpec(
            history.nodes,
            List.of(
                new ClauseShape(
                    new ClauseRule.ReplicasDiverged(Duration.ofMillis(longerThan)), List.of(1))),
            new Causality(
                unbounded ? Epsilon.INFINITE : Epsilon.ofMicros(epsilon * MOMENT),
                Uncertainty.CONSERVATIVE),
            ReplicaRule.ANY);
    List<Witness> witnesses = new Run(spec, history, random).witnesses();
    List<Episode> episodes =
        witnesses.stream()
            .map(
                witness ->
                    new Episode(
                        Hlc.micros(witness.first()) / MOMENT,
                        Hlc.micros(witness.violate()) / MOMENT))
            .toList();
    assertThat(episodes)
        .as("seed=%d", seed)
        .isEqualTo(history.episodes(longerThan + (unbounded ? 0 : epsilon)));
    for (Witness witness : witnesses) {
      assertThat(witness.grade()).isEqualTo(unbounded ? Grade.POSSIBLE : Grade.DEFINITE);
      assertShown(spec, seed, history, witness);
    }
    return episodes.size();
  }

  /** The witnesses are the known replicas' states at that moment. */
  private static void assertShown(
      DetectionSpec spec, long seed, ReplicaHistory history, Witness witness) {
    int moment = (int) (Hlc.micros(witness.violate()) / MOMENT);
    List<String> expected = new ArrayList<>();
    for (int node : history.replicas) {
      if (history.shown[node][moment] != ReplicaHistory.UNKNOWN) {
        expected.add(node + " has " + history.shown[node][moment]);
      }
    }
    assertThat(witness.candidates())
        .as("seed=%d", seed)
        .extracting(candidate -> candidate.id().node() + " has " + spec.stateOf(candidate).digest())
        .isEqualTo(expected);
  }

  /** Nodes' logs arrive in any order; a restart is read after its earlier incarnation has ended. */
  private static final class Run {
    private final DetectionSpec spec;
    private final ReplicaHistory history;
    private final Random random;
    private final int[] read;
    private final long[] readUpTo;
    private final List<Witness> witnesses = new ArrayList<>();
    private Detector detector;

    Run(DetectionSpec spec, ReplicaHistory history, Random random) {
      this.spec = spec;
      this.history = history;
      this.random = random;
      this.read = new int[history.nodes];
      this.readUpTo = new long[history.nodes];
      this.detector = Detector.create(spec, DetectionLimits.DEFAULT);
    }

    List<Witness> witnesses() {
      while (least() < history.moments) {
        step(random.nextInt(history.nodes));
        if (random.nextInt(10) == 0) {
          restore();
        }
      }
      return witnesses;
    }

    private void step(int node) {
      List<Line> log = history.logs.get(node);
      Line next = read[node] < log.size() ? log.get(read[node]) : null;
      long end = next == null ? history.moments : next.at() - 1;
      if (readUpTo[node] < end && random.nextBoolean()) {
        readUpTo[node] = Math.min(end, readUpTo[node] + 1 + random.nextInt(20));
      } else if (next == null) {
        readUpTo[node] = end;
      } else if (isReadBehindTheNext(log, node)) {
        Line after = log.get(read[node] + 1);
        read[node]++;
        read(after);
        read[node]++;
        read(next);
        readUpTo[node] = after.at();
      } else if (next.kind() != Kind.RESTARTED) {
        read[node]++;
        readUpTo[node] = next.at();
        read(next);
      } else if (least() == next.at() - 1) {
        read[node]++;
        read(next);
        readUpTo[node] = next.at();
      } else {
        readUpTo[node] = next.at() - 1;
      }
      long progress = Hlc.ofMicros(least() * MOMENT);
      boolean due = detector.wakeAt() <= progress;
      List<Witness> found = detector.progress(progress);
      assertThat(due || found.isEmpty()).as("nothing is due before it wakes").isTrue();
      witnesses.addAll(found);
    }

    /** Kafka refused it: it comes late, and before any progress that passes it. */
    private boolean isReadBehindTheNext(List<Line> log, int node) {
      return read[node] + 1 < log.size()
          && log.get(read[node]).kind() == Kind.REPORTED
          && log.get(read[node] + 1).kind() == Kind.REPORTED
          && random.nextInt(4) == 0;
    }

    private void read(Line line) {
      switch (line.kind()) {
        case REPORTED ->
            witnesses.addAll(detector.opened(history.candidate(line, read[line.node()])));
        case SEARCHED -> detector.searched(line.node(), line.incarnation(), history.clock(line));
        case RESTARTED ->
            witnesses.addAll(
                detector.restarted(line.node(), line.incarnation(), history.clock(line)));
      }
    }

    /** Restarts, and what nodes have searched, are not in the bytes. */
    private void restore() {
      detector = Detector.restore(spec, DetectionLimits.DEFAULT, detector.toBytes());
      for (int node = 0; node < history.nodes; node++) {
        last(node, Kind.RESTARTED).ifPresent(this::read);
        last(node, Kind.SEARCHED).ifPresent(this::read);
      }
    }

    private Optional<Line> last(int node, Kind kind) {
      return history.logs.get(node).stream()
          .limit(read[node])
          .filter(line -> line.kind() == kind)
          .reduce((first, last) -> last);
    }

    private long least() {
      return Arrays.stream(readUpTo).min().orElseThrow();
    }
  }
}
