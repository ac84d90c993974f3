package io.palinode.detection.search;

import static org.assertj.core.api.Assertions.assertThat;

import io.palinode.detection.Candidate;
import io.palinode.detection.CandidateId;
import io.palinode.detection.Seeds;
import io.palinode.hvc.Hvc;
import io.palinode.hvc.Interval;
import io.palinode.predicate.ClauseRule;
import io.palinode.predicate.ClauseShape;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** The queues of few and of many members that come and go, beside a map. */
class ClauseQueuesTest {
  private static final int NODES = 2;
  private static final int CHANGES = 200;
  private static final ClauseShape SHAPE =
      new ClauseShape(new ClauseRule.AtLeast(2, "m"), List.of(1));

  @Test
  void eachMemberHasItsIntervalsAlone() {
    Seeds.each(
        Seeds.count(100),
        random -> {
          for (int members : new int[] {2, 16, 17, 60}) {
            new Members(random, members).comeAndGo();
          }
        });
  }

  private static final class Members {
    private final Random random;
    private final int members;
    private final ClauseQueues queues = new ClauseQueues(SHAPE, NODES, false);
    private final Map<String, Set<Retained>> expected = new HashMap<>();
    private long next;

    Members(Random random, int members) {
      this.random = random;
      this.members = members;
    }

    void comeAndGo() {
      boolean grows = true;
      for (int i = 0; i < CHANGES; i++) {
        // In turns, so that many become few and no member has an interval at times.
        grows = random.nextInt(20) == 0 ? !grows : grows;
        if (random.nextInt(4) == 0 ? grows : !grows) {
          drop();
        } else {
          add();
        }
        check();
      }
    }

    private void add() {
      String member = "m=" + random.nextInt(members);
      int node = random.nextInt(NODES);
      long[] clock = new long[NODES];
      clock[node] = ++next;
      Hvc at = Hvc.of(node, clock);
      Candidate candidate =
          new Candidate(
              0, 0, new CandidateId(node, 1, next), new Interval(at, at), "", null, new byte[0]);
      Retained interval = new Retained(candidate.ofMember(member));
      queues.add(interval);
      expected.computeIfAbsent(member, none -> new HashSet<>()).add(interval);
    }

    private void drop() {
      Set<Retained> gone = new HashSet<>();
      expected.values().forEach(all -> all.stream().filter(this::isChosen).forEach(gone::add));
      if (random.nextBoolean()) {
        queues.dropOfEnded(queue -> queue.dropAll(gone::contains));
      } else {
        queues.dropOfAll(queue -> queue.dropAll(gone::contains));
      }
      expected.values().forEach(all -> all.removeAll(gone));
      expected.values().removeIf(Set::isEmpty);
    }

    private boolean isChosen(Retained interval) {
      return random.nextInt(3) > 0;
    }

    private void check() {
      assertThat(queues.size()).isEqualTo(expected.size());
      for (int member = 0; member < members; member++) {
        String name = "m=" + member;
        TermQueues of = queues.find(0, name);
        assertThat(of == null).isEqualTo(!expected.containsKey(name));
        if (of != null) {
          assertThat(of).isSameAs(queues.get(of.term()));
          Set<Retained> kept = new HashSet<>();
          for (IntervalQueue queue : of.held()) {
            for (int i = 0; i < queue.size(); i++) {
              kept.add(queue.get(i));
              assertThat(queue.get(i).term()).isEqualTo(of.term());
            }
          }
          assertThat(kept).isEqualTo(expected.get(name));
        }
      }
    }
  }
}
