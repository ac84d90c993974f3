package io.palinode.detection.stream;

import io.palinode.detection.CandidateId;
import io.palinode.detection.Ended;
import io.palinode.detection.search.Finding;
import io.palinode.detection.search.Retained;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The reports whose intervals are all open. Open intervals are retained, so it keeps none of its
 * own. Not thread-safe.
 */
final class HoldingReports {
  // Of many instances few are violated: the others share one.
  private Map<Retained, List<Finding>> ofInterval = Map.of();

  /** Takes a report, unless one of its intervals has ended. */
  void add(Finding report) {
    List<Retained> intervals = report.intervals();
    for (int i = 0; i < intervals.size(); i++) {
      if (!intervals.get(i).isOpen()) {
        return;
      }
    }
    ofInterval = ofInterval.isEmpty() ? new HashMap<>(2) : ofInterval;
    for (int i = 0; i < intervals.size(); i++) {
      ofInterval.computeIfAbsent(intervals.get(i), each -> new ArrayList<>(1)).add(report);
    }
  }

  /** Returns the ends of the reports that name the interval, which ended at {@code hlc}. */
  List<Ended> end(Retained interval, long hlc) {
    List<Finding> reports = ofInterval.isEmpty() ? null : ofInterval.remove(interval);
    if (reports == null) {
      return List.of();
    }
    List<Ended> ended = new ArrayList<>();
    for (Finding report : reports) {
      report.intervals().forEach(each -> forget(each, report));
      List<CandidateId> ids = report.intervals().stream().map(Retained::id).toList();
      ended.add(new Ended(report.clause(), ids, hlc));
    }
    return ended;
  }

  private void forget(Retained interval, Finding report) {
    ofInterval.computeIfPresent(
        interval,
        (same, reports) -> {
          reports.removeIf(each -> each.equals(report));
          return reports.isEmpty() ? null : reports;
        });
  }

  /** Returns the reports in the order of {@code retained}. */
  List<Finding> reports(List<Retained> retained) {
    List<Finding> reports = new ArrayList<>();
    for (Retained interval : ofInterval.isEmpty() ? List.<Retained>of() : retained) {
      ofInterval.getOrDefault(interval, List.of()).stream()
          .filter(report -> report.intervals().get(0).equals(interval))
          .forEach(reports::add);
    }
    return reports;
  }
}
