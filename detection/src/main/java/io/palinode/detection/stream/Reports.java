package io.palinode.detection.stream;

import io.palinode.detection.Ended;
import io.palinode.detection.Witness;
import io.palinode.detection.search.Finding;
import io.palinode.detection.search.Knowledge;
import io.palinode.detection.search.Retained;
import java.util.List;
import java.util.stream.Stream;

/** What becomes of the reports of a detector: their grades rise, and they end. Not thread-safe. */
final class Reports {
  private final RisingGrades rising;
  private final HoldingReports holding = new HoldingReports();
  // Of the last call of the detector.
  private List<Witness> raised = List.of();
  private List<Ended> ended = List.of();

  Reports(Knowledge knowledge, int reportsMax) {
    this.rising = new RisingGrades(knowledge, reportsMax);
  }

  void restore(List<Finding> savedRising, List<Finding> savedHolding) {
    savedRising.forEach(rising::add);
    savedHolding.forEach(holding::add);
  }

  /** The detector begins a call. */
  void begin() {
    ended = List.of();
  }

  void add(Finding report) {
    rising.add(report);
    holding.add(report);
  }

  /** The interval ended at {@code hlc}. */
  void end(Retained interval, long hlc) {
    List<Ended> more = holding.end(interval, hlc);
    if (!more.isEmpty()) {
      ended = Stream.concat(ended.stream(), more.stream()).toList();
    }
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
    List<Ended> unused = holding.end(interval, interval.startOwn());
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

  List<Finding> holding(List<Retained> retained) {
    return holding.reports(retained);
  }
}
