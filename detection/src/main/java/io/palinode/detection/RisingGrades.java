package io.palinode.detection;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/**
 * The reports whose grade may still rise, because an end in them is to come, and what is known of
 * it grows with its node's clock. At most {@link #REPORTS_MAX}; beyond that the oldest keeps the
 * grade it has. Their intervals stay retained. Not thread-safe.
 */
final class RisingGrades {
  static final int REPORTS_MAX = 64;

  private final Knowledge knowledge;
  private final Deque<Finding> findings = new ArrayDeque<>();

  RisingGrades(Knowledge knowledge) {
    this.knowledge = knowledge;
  }

  /** With the grades that were told last; the oldest first. */
  List<Finding> findings() {
    return List.copyOf(findings);
  }

  /** Takes a report, unless its grade is final. */
  void add(Finding finding) {
    if (Finding.least(finding.intervals(), knowledge::greatestGrade).compareTo(finding.grade())
        <= 0) {
      return;
    }
    if (findings.size() == REPORTS_MAX) {
      findings.removeFirst().intervals().forEach(Retained::unpin);
    }
    finding.intervals().forEach(Retained::pin);
    findings.addLast(finding);
  }

  /** The reports whose grade rose since it was told last. */
  List<Witness> raise() {
    List<Witness> raised = new ArrayList<>();
    for (int left = findings.size(); left > 0; left--) {
      Finding told = findings.removeFirst();
      told.intervals().forEach(Retained::unpin);
      Finding now = Finding.of(told.clause(), told.intervals(), knowledge::grade);
      if (now.grade().compareTo(told.grade()) > 0) {
        raised.add(now.witness());
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

  /** The least progress with which more is known of a grade. */
  long wakeAt() {
    long wake = Long.MAX_VALUE;
    for (Finding finding : findings) {
      for (Retained i : finding.intervals()) {
        for (Retained j : finding.intervals()) {
          wake = i == j ? wake : Math.min(wake, knowledge.endShownAt(i, j));
        }
      }
    }
    return wake;
  }
}
