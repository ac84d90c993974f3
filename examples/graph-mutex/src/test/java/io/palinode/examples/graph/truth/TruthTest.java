package io.palinode.examples.graph.truth;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.palinode.examples.graph.Edge;
import io.palinode.examples.graph.Keys;
import io.palinode.examples.graph.Rule;
import io.palinode.voldemort.client.session.RolledBack;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class TruthTest {
  private static final Edge EDGE = new Edge(3, 7);

  private final SectionLog a = new SectionLog(0);
  private final SectionLog b = new SectionLog(1);

  @Test
  void sectionsThatOverlapAreAViolation() {
    wrote(a, "1", 10, 12, 100);
    wrote(b, "1", 13, 15, 101);
    wrote(a, "c2", 16, 18, 102);
    wrote(b, "c1", 19, 20, 103);
    assertThat(truth().overlaps())
        .singleElement()
        .satisfies(
            violation -> {
              assertThat(violation.edge()).isEqualTo(EDGE);
              assertThat(violation.atA().hlc().from()).isEqualTo(100);
              assertThat(violation.atB().hlc().from()).isEqualTo(101);
              assertThat(violation.violateHlc()).isEqualTo(101);
              assertThat(violation.isTakenBack()).isFalse();
            });
    assertThat(truth().sameColours()).isEmpty();
  }

  @Test
  void sectionThatEndsWhileTheOtherIsBeingEnteredIsOnlyPossiblyAViolation() {
    wrote(a, "1", 10, 12, 100);
    wrote(b, "1", 15, 20, 101);
    wrote(a, "c2", 17, 19, 102);
    wrote(b, "c1", 30, 31, 103);
    assertThat(truth().overlaps()).isEmpty();
    assertThat(truth().possible(Rule.EDGE_MUTEX)).hasSize(1);
  }

  @Test
  void sectionsOneAfterTheOtherAreNoViolation() {
    wrote(a, "1", 10, 12, 100);
    wrote(a, "c2", 16, 18, 102);
    wrote(b, "1", 18, 19, 101);
    wrote(b, "c1", 20, 21, 103);
    assertThat(truth().possible(Rule.EDGE_MUTEX)).isEmpty();
  }

  @Test
  void sameColoursLastUntilOneEndGoesInAgain() {
    wrote(a, "1", 10, 11, 100);
    wrote(a, "c2", 12, 13, 101);
    wrote(b, "1", 14, 15, 102);
    wrote(b, "c2", 16, 17, 103); // read a stale colour
    wrote(a, "1", 18, 19, 104);
    wrote(a, "c1", 20, 21, 105);
    assertThat(truth().overlaps()).isEmpty();
    assertThat(truth().sameColours())
        .singleElement()
        .satisfies(
            violation -> {
              assertThat(violation.atA().hlc().from()).isEqualTo(101);
              assertThat(violation.atA().hlc().until()).isEqualTo(104);
              assertThat(violation.atB().hlc().from()).isEqualTo(103);
            });
  }

  @Test
  void rollbackTakesAViolationBackAndEndsTheSectionsWhenTheirClientsLearn() {
    wrote(a, "1", 10, 11, 100);
    wrote(b, "1", 12, 13, 101);
    rolledBack(a, 100, 1, 30);
    wrote(a, "0", 31, 32, 110);
    rolledBack(b, 100, 1, 40);
    wrote(b, "1", 50, 51, 111);
    wrote(b, "c1", 52, 53, 112);
    assertThat(truth().overlaps())
        .singleElement()
        .satisfies(
            violation -> {
              assertThat(violation.isTakenBack()).isTrue();
              assertThat(violation.atA().version().undoneBy()).isNull();
              assertThat(violation.atA().sure().until()).isEqualTo(30);
              assertThat(violation.atB().version().undoneBy()).isEqualTo(100);
              assertThat(violation.atB().sure().until()).isEqualTo(40);
            });
  }

  @Test
  void clientThatHasNotLearnedOfARollbackDoesNotMeetOneThatHas() {
    wrote(b, "1", 12, 13, 101);
    rolledBack(a, 100, 1, 30);
    wrote(a, "1", 31, 32, 110);
    rolledBack(b, 100, 1, 40);
    wrote(a, "c1", 45, 46, 112);
    assertThat(truth().possible(Rule.EDGE_MUTEX)).isEmpty();
  }

  @Test
  void rollbackBringsThePublishedColourBack() {
    wrote(a, "c2", 10, 11, 100);
    wrote(a, "1", 12, 13, 105); // undone
    rolledBack(a, 102, 1, 20);
    rolledBack(b, 102, 1, 21);
    wrote(b, "c2", 22, 23, 110);
    wrote(a, "1", 30, 31, 112);
    assertThat(truth().sameColours())
        .singleElement()
        .satisfies(
            violation -> {
              assertThat(violation.atA().version().writtenAt()).isEqualTo(100);
              assertThat(violation.atA().isNamedBy(100)).isTrue();
              assertThat(violation.atA().isNamedBy(108)).isTrue();
              assertThat(violation.atA().isNamedBy(104)).isFalse();
              assertThat(violation.atA().isNamedBy(112)).isFalse();
              assertThat(violation.isTakenBack()).isFalse();
            });
  }

  @Test
  void colourThatStandsGoesOnOverARollback() {
    wrote(a, "c2", 10, 11, 100);
    rolledBack(a, 102, 1, 20);
    rolledBack(b, 102, 1, 21);
    wrote(b, "c2", 22, 23, 110);
    assertThat(truth().spans()).hasSize(2);
    assertThat(truth().sameColours()).hasSize(1);
  }

  @Test
  void callThatFailedIsPossibleInBothWays() {
    wrote(a, "c1", 10, 11, 100);
    wrote(a, "1", 12, 20, SectionLog.UNKNOWN);
    rolledBack(a, 105, 1, 20);
    rolledBack(b, 105, 1, 21);
    wrote(b, "1", 22, 23, 110);
    wrote(b, "c1", 24, 25, 111);
    wrote(a, "0", 26, 27, 112);
    assertThat(truth().certain(Rule.EDGE_MUTEX)).isEmpty();
    assertThat(truth().certain(Rule.PROPER_COLOURING)).isEmpty();
    assertThat(truth().possible(Rule.EDGE_MUTEX))
        .singleElement()
        .satisfies(
            violation -> {
              assertThat(violation.atA().isNamedBy(103)).isTrue();
              assertThat(violation.atA().isNamedBy(112)).isFalse();
            });
    assertThat(truth().possible(Rule.PROPER_COLOURING)).hasSize(1);
  }

  @Test
  void sectionThatARollbackLeavesOpenIsOnlyPossibleUntilItIsCleared() {
    wrote(a, "1", 10, 11, 100);
    rolledBack(a, 102, 1, 20);
    rolledBack(b, 102, 1, 21);
    wrote(b, "1", 22, 23, 110);
    wrote(a, "0", 26, 27, 112);
    assertThat(truth().overlaps()).isEmpty();
    assertThat(truth().possible(Rule.EDGE_MUTEX)).hasSize(1);
  }

  @Test
  void logKeepsACountOfWhatItDrops() {
    for (int i = 0; i < SectionLog.ENTRIES_MAX + 2; i++) {
      a.rolledBack(new RolledBack(0, 1, 0, 0), i);
    }
    assertThat(a.entries()).hasSize(SectionLog.ENTRIES_MAX);
    assertThat(a.dropped()).isEqualTo(2);
    assertThat(truth().dropped()).isEqualTo(2);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> a.wrote(EDGE, 4, "1", 0, 0, 0))
        .withMessageContaining("end=4");
  }

  /** The oracle looks at every instant. */
  @ParameterizedTest
  @EnumSource
  void agreesWithAnOracleThatLooksAtEveryInstant(Rule rule) {
    int violations = 0;
    for (long seed = 0; seed < 1_000; seed++) {
      Random random = new Random(seed);
      List<SectionLog.Write> atA = randomWrites(random, EDGE.a());
      List<SectionLog.Write> atB = randomWrites(random, EDGE.b());
      Truth truth = Truth.of(List.of(log(atA), log(atB)));
      assertThat(names(truth.certain(rule)))
          .as("seed %d", seed)
          .isEqualTo(everyInstant(rule, atA, atB, true));
      assertThat(names(truth.possible(rule)))
          .as("seed %d", seed)
          .isEqualTo(everyInstant(rule, atA, atB, false));
      violations += truth.certain(rule).size();
    }
    assertThat(violations).isGreaterThan(1_000);
  }

  private static final int INSTANTS = 120;

  private static List<SectionLog.Write> randomWrites(Random random, int end) {
    List<SectionLog.Write> writes = new ArrayList<>();
    int now = random.nextInt(10);
    for (int i = 0; now < INSTANTS - 30; i++) {
      int called = now + random.nextInt(8);
      int returned = called + random.nextInt(6);
      String value = i % 2 == 0 ? Keys.INSIDE : Keys.published(random.nextInt(3));
      writes.add(new SectionLog.Write(EDGE, end, value, called, returned, 1_000 * end + i));
      now = returned;
    }
    return writes;
  }

  private static SectionLog log(List<SectionLog.Write> writes) {
    SectionLog log = new SectionLog(0);
    for (SectionLog.Write w : writes) {
      log.wrote(w.edge(), w.end(), w.value(), w.calledNanos(), w.returnedNanos(), w.acceptedAt());
    }
    return log;
  }

  private static Set<String> names(List<Violation> violations) {
    Set<String> names = new TreeSet<>();
    violations.forEach(v -> names.add(v.atA().hlc().from() + " " + v.atB().hlc().from()));
    return names;
  }

  private static Set<String> everyInstant(
      Rule rule, List<SectionLog.Write> atA, List<SectionLog.Write> atB, boolean sure) {
    Set<String> names = new TreeSet<>();
    for (int instant = 0; instant < INSTANTS; instant++) {
      for (int i = 0; i < atA.size(); i++) {
        for (int j = 0; j < atB.size(); j++) {
          String value = atA.get(i).value();
          boolean watched = rule == Rule.EDGE_MUTEX ? value.equals("1") : value.startsWith("c");
          if (watched
              && value.equals(atB.get(j).value())
              && holds(atA, i, instant, sure)
              && holds(atB, j, instant, sure)) {
            names.add(atA.get(i).acceptedAt() + " " + atB.get(j).acceptedAt());
          }
        }
      }
    }
    return names;
  }

  private static boolean holds(List<SectionLog.Write> writes, int i, int instant, boolean sure) {
    SectionLog.Write write = writes.get(i);
    boolean begun = instant >= (sure ? write.returnedNanos() : write.calledNanos());
    if (i + 1 == writes.size()) {
      return begun;
    }
    SectionLog.Write next = writes.get(i + 1);
    return begun && instant < (sure ? next.calledNanos() : next.returnedNanos());
  }

  private Truth truth() {
    return Truth.of(List.of(a, b));
  }

  private void wrote(SectionLog log, String value, long called, long returned, long acceptedAt) {
    log.wrote(EDGE, log.client() == 0 ? EDGE.a() : EDGE.b(), value, called, returned, acceptedAt);
  }

  private static void rolledBack(SectionLog log, long target, long toEpoch, long learned) {
    log.rolledBack(new RolledBack(toEpoch - 1, toEpoch, target, 0), learned);
  }
}
