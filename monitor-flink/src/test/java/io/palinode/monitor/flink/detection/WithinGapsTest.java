package io.palinode.monitor.flink.detection;

import static io.palinode.monitor.Records.clock;
import static org.assertj.core.api.Assertions.assertThat;

import io.palinode.hvc.Hlc;
import io.palinode.monitor.Notice;
import io.palinode.monitor.Records;
import io.palinode.wire.v1.CandidateRecord;
import io.palinode.wire.v1.CoverageLost;
import io.palinode.wire.v1.Violation;
import io.palinode.wire.v1.ViolationGrade;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/**
 * Random runs with lost answers, against what was true. A violation is never false, and what is
 * neither answered nor reported is in a gap.
 */
class WithinGapsTest extends WithinFixture {
  private static final int SEEDS = Integer.getInteger("palinode.seeds", 200);
  private static final long TIME = 5_000;
  private static final long EPSILON = 10;

  /** More than the time for which the source waits for an explanation. */
  private static final long LONG_WAIT = 31_000_000;

  /** Of answers, at whatever node; {@code to} is after the last microsecond. */
  private record Span(long from, long to) {
    boolean answers(long trigger, long slack) {
      return from <= trigger + TIME + slack && to - 1 >= trigger - slack;
    }
  }

  private Random random = new Random(0);
  private final List<Span> truth = new ArrayList<>();

  /** When each began, by the sequence that names it. */
  private final Map<String, Long> triggers = new TreeMap<>();

  private final List<Node> nodes = new ArrayList<>();

  /** By id: a job that restarted may publish one again. */
  private final Map<String, Violation> reported = new TreeMap<>();

  private final List<CoverageLost> lost = new ArrayList<>();
  private long now;

  private final class Node {
    private final int id;
    private long incarnation = 1;
    private long sequence;
    private final List<CandidateRecord> unsent = new ArrayList<>();
    private long since;
    private long openSequence;
    private long openStart;

    /** Whether its opening is published before the next progress. */
    private boolean isLate;

    private boolean isOmitted;

    Node(int id) {
      this.id = id;
    }

    private void emit(CandidateRecord record) {
      unsent.add(record.toBuilder().setIncarnation(incarnation).build());
    }

    private void lose() {
      emit(Records.gap(id, sequence, sequence, now, now));
    }

    void trigger() {
      emit(WithinFixture.trigger(id, ++sequence, "1", now));
      triggers.put(id + "." + incarnation + "." + sequence, now);
    }

    void toggle() {
      if (since > 0) {
        end();
      } else if (random.nextInt(12) == 0) {
        begin();
      }
    }

    private void begin() {
      since = now;
      openStart = now;
      openSequence = ++sequence;
      int fate = random.nextInt(10);
      isLate = fate == 0;
      boolean isRefused = fate == 1;
      if (isLate || isRefused) {
        lose();
      } else {
        emit(answer(id, sequence, "1", now));
      }
      if (isRefused) {
        isOmitted = true;
        openSequence = 0;
      }
    }

    private void end() {
      truth.add(new Span(since, now));
      since = 0;
      isLate = false;
      if (openSequence > 0) {
        sequence++;
        if (random.nextInt(10) == 0) {
          lose();
          sequence++;
        }
        emit(
            Records.closed(
                id,
                sequence,
                openSequence,
                of("1", 1),
                clock(id, openStart, LAG),
                clock(id, now - 1, LAG)));
        openSequence = 0;
      }
    }

    /** What was omitted and still holds. */
    void scan() {
      if (isOmitted) {
        isOmitted = false;
        find();
      }
    }

    private void find() {
      if (since > 0 && openSequence == 0) {
        openSequence = ++sequence;
        openStart = now;
        CandidateRecord.Builder found = answer(id, sequence, "1", now).toBuilder();
        found.getOpenedBuilder().setFound(true);
        emit(found.build());
      }
    }

    void progress() throws Exception {
      if (isLate) {
        isLate = false;
        openSequence = ++sequence;
        emit(answer(id, sequence, "1", openStart));
      }
      emit(WithinFixture.progress(id, sequence, now, !isOmitted));
      send(unsent.size());
    }

    private void send(int count) throws Exception {
      for (CandidateRecord record : unsent.subList(0, count)) {
        source.read(record);
      }
      unsent.clear();
    }

    void kill() throws Exception {
      send(random.nextInt(unsent.size() + 1));
      now += 1 + random.nextInt(8_000);
      incarnation++;
      sequence = 0;
      openSequence = 0;
      isLate = false;
      isOmitted = false;
      find();
      progress();
    }

    /**
     * Kafka loses an opening that it had taken; the node does not know. With a lost end, an answer
     * would count until the node restarts.
     */
    void loseSilently() {
      unsent.removeIf(record -> record.hasOpened() && random.nextInt(3) == 0);
    }
  }

  @Test
  void aViolationIsNeverFalseAndWhatIsNotKnownIsInAGap() throws Exception {
    int violations = 0;
    int unknown = 0;
    for (int seed = 0; seed < SEEDS; seed++) {
      begin(seed);
      for (int step = 0; step < 150; step++) {
        act();
      }
      settle();
      collect();
      violations += reported.size();
      unknown += check(seed);
    }
    assertThat(violations).isGreaterThan(SEEDS);
    assertThat(unknown).isGreaterThan(SEEDS / 2);
  }

  private void begin(long seed) throws Exception {
    harness.close();
    harness = harness();
    harness.open();
    harness.processBroadcastElement(Notice.predicate(predicate(WITHIN, 1, false)), 0);
    source.begin();
    random = new Random(seed);
    truth.clear();
    triggers.clear();
    nodes.clear();
    reported.clear();
    lost.clear();
    now = 1_000;
    for (int node = 0; node < Records.NODES; node++) {
      nodes.add(new Node(node));
      nodes.get(node).progress();
    }
  }

  /** Each run of the job has its own output. */
  private void collect() {
    violations().forEach(violation -> reported.put(violation.getId(), violation));
    lost.addAll(gaps());
  }

  private void act() throws Exception {
    now += 20 + random.nextInt(1_000);
    Node node = nodes.get(random.nextInt(nodes.size()));
    int what = random.nextInt(100);
    if (what < 20) {
      node.trigger();
    } else if (what < 45) {
      node.toggle();
    } else if (what < 85) {
      node.progress();
    } else if (what < 93) {
      node.scan();
    } else if (what < 96) {
      node.kill();
    } else if (what < 99) {
      collect();
      restart();
    } else {
      node.loseSilently();
      now += LONG_WAIT;
    }
  }

  private void settle() throws Exception {
    for (Node node : nodes) {
      if (node.since > 0) {
        truth.add(new Span(node.since, Long.MAX_VALUE));
      }
    }
    for (int again = 0; again < 3; again++) {
      now += LONG_WAIT;
      for (Node node : nodes) {
        node.progress();
      }
    }
  }

  /** Returns how many triggers without an answer are in a gap alone. */
  private int check(int seed) {
    for (Violation violation : reported.values()) {
      long trigger = Hlc.micros(violation.getFirst());
      long slack = violation.getGrade() == ViolationGrade.DEFINITE ? EPSILON : -EPSILON;
      assertThat(truth)
          .as("seed %d: answers to the trigger of %d", seed, trigger)
          .noneMatch(answer -> answer.answers(trigger, slack));
    }
    List<Long> known =
        reported.values().stream().map(violation -> Hlc.micros(violation.getFirst())).toList();
    int unknown = 0;
    for (long trigger : triggers.values()) {
      boolean isMissing = truth.stream().noneMatch(answer -> answer.answers(trigger, EPSILON));
      if (isMissing && !known.contains(trigger)) {
        unknown++;
        assertThat(lost)
            .as("seed %d: the trigger of %d is silent", seed, trigger)
            .anyMatch(
                gap ->
                    Hlc.micros(gap.getFromHlc()) <= trigger + TIME + EPSILON
                        && Hlc.micros(gap.getToHlc()) >= trigger);
      }
    }
    return unknown;
  }
}
