package io.palinode.detection.search;

import static io.palinode.detection.Given.candidate;
import static io.palinode.detection.Given.causal;
import static org.assertj.core.api.Assertions.assertThat;

import io.palinode.detection.Candidate;
import io.palinode.detection.trace.TraceHorizon;
import io.palinode.detection.trace.TraceSource;
import io.palinode.hvc.Grade;
import io.palinode.predicate.ClauseShape;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Clauses of many terms that hold at many nodes, which make a search long. */
class CliqueSearchTest {
  private static final int TERMS = 12;
  private static final int NODES = 3;

  @Test
  void twoTermsThatExcludeEachOtherAreFoundWithoutTryingAllChoices() {
    List<Candidate> trace = new ArrayList<>();
    long sequence = 0;
    for (int node = 0; node < NODES; node++) {
      for (int term = 0; term < TERMS - 2; term++) {
        trace.add(candidate(node, term, ++sequence, clock(node, 100, 0), null));
      }
      // All of the last term start after all of the one before it have ended, everywhere.
      trace.add(candidate(node, TERMS - 2, ++sequence, clock(node, 100, 0), clock(node, 200, 0)));
      trace.add(candidate(node, TERMS - 1, ++sequence, clock(node, 400, 300), null));
    }
    WatchedClause clause = clause(trace, 100_000);
    assertThat(judge(clause, trace)).isEmpty();
    assertThat(clause.searchesCut()).isZero();
  }

  @Test
  void aSearchThatIsCutShortIsCounted() {
    List<Candidate> trace =
        List.of(
            candidate(0, 0, 1, "100/0/0", null),
            candidate(1, 1, 1, "0/100/0", "0/200/0"),
            candidate(1, 1, 2, "0/300/0", "0/400/0"),
            candidate(2, 2, 1, "0/250/500", null));
    assertThat(judge(clause(3, trace, 100), trace)).hasSize(1);
    WatchedClause limited = clause(3, trace, 1);
    assertThat(judge(limited, trace)).isEmpty();
    assertThat(limited.searchesCut()).isPositive();
  }

  private static String clock(int node, int own, int others) {
    StringBuilder entries = new StringBuilder();
    for (int i = 0; i < NODES; i++) {
      entries.append(i == 0 ? "" : "/").append(i == node ? own : others);
    }
    return entries.toString();
  }

  private static WatchedClause clause(List<Candidate> trace, long stepsMax) {
    return clause(TERMS, trace, stepsMax);
  }

  private static WatchedClause clause(int terms, List<Candidate> trace, long stepsMax) {
    TraceHorizon horizon =
        new TraceHorizon(causal(NODES, "inf", terms).causality(), TraceSource.of(NODES, trace));
    return new WatchedClause(0, ClauseShape.all(terms), NODES, horizon, new Budget(stepsMax));
  }

  private static List<Finding> judge(WatchedClause clause, List<Candidate> trace) {
    List<Finding> found = new ArrayList<>();
    for (Candidate candidate : trace) {
      Retained newest = new Retained(candidate);
      clause.add(newest);
      found.addAll(clause.judge(newest, Grade.UNCERTAIN));
    }
    return found;
  }
}
