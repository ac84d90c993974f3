package io.palinode.detection.stream;

import io.palinode.detection.Ended;
import io.palinode.detection.Witness;
import io.palinode.detection.search.Finding;
import io.palinode.detection.search.Knowledge;
import io.palinode.detection.search.Retained;
import java.util.ArrayList;
import java.util.List;

/** What becomes of the reports of a detector: their grades rise, and they end. Not thread-safe. */
final class Reports {
  private final RisingGrades rising;
  // Of the last call of the detector.
  private List<Witness> raised = List.of();
  private List<Ended> ended = List.of();

  Reports(Knowledge knowledge, int reportsMax) {
    this.rising = new RisingGrades(knowledge, reportsMax);
  }

  void restore(List<Finding> savedRising, List<Finding> savedHolding) {
    savedRising.forEach(rising::add);
    savedHolding.forEach(Reports::hold);
  }

  /** The detector begins a call. */
  void begin() {
    ended = List.of();
  }

  void add(Finding report) {
    rising.add(report);
    hold(report);
  }

  /** While all intervals of the report are open, each of them has it. */
  private static void hold(Finding report) {
    List<Retained> intervals = report.intervals();
    for (int i = 0; i < intervals.size(); i++) {
      if (!intervals.get(i).isOpen()) {
        return;
      }
    }
    for (int i = 0; i < intervals.size(); i++) {
      intervals.get(i).addHolding(report);
    }
  }

  /** The interval ended at {@code hlc}: so do the violations of the reports that name it. */
  void end(Retained interval, long hlc) {
    if (interval.holding().isEmpty()) {
      return;
    }
    List<Ended> all = new ArrayList<>(ended);
    for (Finding report : interval.removeHolding()) {
      all.add(new Ended(report.clause(), report.ids(), hlc));
    }
    ended = List.copyOf(all);
  }

  /** Returns the reports whose grade rose; none if nothing changed. */
  List<Finding> raise(boolean isChanged) {
    List<Finding> higher = isChanged && !rising.isEmpty() ? rising.raise() : List.of();
    raised = higher.isEmpty() ? List.of() : higher.stream().map(Finding::witness).toList();
    return higher;
  }

  /** The interval goes before its time. */
  void forget(Retained interval) {
    rising.forget(interval);
    List<Finding> unused = interval.removeHolding();
  }

  List<Witness> raised() {
    return raised;
  }

  List<Ended> ended() {
    return ended;
  }

  /** How many reports were too many to be followed. */
  long lost() {
    return rising.lost();
  }

  List<Finding> rising() {
    return rising.findings();
  }

  /** The reports whose intervals are all open. {@code retained} has all intervals. */
  static List<Finding> holding(List<Retained> retained) {
    List<Finding> reports = new ArrayList<>();
    for (Retained interval : retained) {
      for (Finding report : interval.holding()) {
        if (report.intervals().get(0) == interval) {
          reports.add(report);
        }
      }
    }
    return reports;
  }
}
