package io.palinode.detection.stream;

import io.palinode.detection.search.Finding;
import io.palinode.detection.search.Knowledge;
import io.palinode.detection.search.Retained;
import io.palinode.hvc.Grade;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/**
 * The reports whose grade may still rise, because an end in them is to come, and what is known of
 * it grows with its node's clock. Their intervals stay retained. At most {@code reportsMax}; beyond
 * that the oldest keeps the grade it has, and is counted by {@link #lost}. Not thread-safe.
 */
final class RisingGrades {
  private final Knowledge knowledge;
  private final int reportsMax;
  private final Deque<Finding> findings = new ArrayDeque<>(1);
  private long lost;

  RisingGrades(Knowledge knowledge, int reportsMax) {
    this.knowledge = knowledge;
    this.reportsMax = reportsMax;
  }

  /** With the grades returned last; the oldest first. */
  List<Finding> findings() {
    return List.copyOf(findings);
  }

  boolean isEmpty() {
    return findings.isEmpty();
  }

  /** How many reports were too many to be followed. */
  long lost() {
    return lost;
  }

  /** Takes a report, unless its grade is final. */
  void add(Finding finding) {
    if (finding.grade() == Grade.DEFINITE) {
      return;
    }
    Grade greatest = Finding.least(finding.intervals(), knowledge::greatestGrade);
    if (finding.grade().atLeast(greatest)) {
      return;
    }
    if (findings.size() == reportsMax) {
      findings.removeFirst().intervals().forEach(Retained::unpin);
      lost++;
    }
    finding.intervals().forEach(Retained::pin);
    findings.addLast(finding);
  }

  /**
   * The reports whose grade has risen since it was returned last. That can only be of those with an
   * interval that changed ({@link Retained#isChanged}): that awaits less than it did, or whose end
   * became known.
   */
  List<Finding> raise() {
    List<Finding> raised = new ArrayList<>();
    for (int left = findings.size(); left > 0; left--) {
      Finding reported = findings.removeFirst();
      if (reported.intervals().stream().noneMatch(Retained::isChanged)) {
        findings.addLast(reported);
        continue;
      }
      reported.intervals().forEach(Retained::unpin);
      Finding now =
          Finding.of(reported.clause(), knowledge, reported.intervals().toArray(Retained[]::new));
      if (now.grade().compareTo(reported.grade()) > 0) {
        raised.add(now);
      }
      add(now);
    }
    return raised;
  }

  /** An interval goes before its time: the reports that named it keep their grades. */
  void forget(Retained interval) {
    for (Finding finding : findings()) {
      if (finding.intervals().contains(interval)) {
        findings.remove(finding);
        finding.intervals().forEach(Retained::unpin);
      }
    }
  }
}
