package io.palinode.benchmarks;

import io.palinode.detection.DetectionSpec;
import io.palinode.detection.Witness;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * Passes a workload's events to a detector for each instance, and the watermark whenever it asked
 * for that: after an event, and, as a timer would, when progress comes in.
 *
 * <p>It goes in steps. What a step passes on is copied before, so that it is as near to the
 * processor as what was just decoded.
 */
final class Replay implements Iterator<Runnable> {
  private static final int STEP_EVENTS = 256;
  private static final long NEVER = Long.MAX_VALUE;

  private final Workload workload;
  private final Detector[] detectors;
  private final long[] wakes;
  private final Consumer<Witness> reports;
  private long watermark;
  private long nextProgress = Workload.PROGRESS_MICROS;
  private int next;

  /** With new detectors. */
  Replay(
      Workload workload, Function<DetectionSpec, Detector> detectors, Consumer<Witness> reports) {
    this.workload = workload;
    this.reports = reports;
    this.detectors = new Detector[workload.shape().instances()];
    Arrays.setAll(this.detectors, instance -> detectors.apply(workload.spec()));
    this.wakes = new long[this.detectors.length];
    Arrays.fill(wakes, NEVER);
  }

  @Override
  public boolean hasNext() {
    return next < workload.events().size();
  }

  /** The next step, to be run before the one after it is asked for. */
  @Override
  public Runnable next() {
    int to = Math.min(next + STEP_EVENTS, workload.events().size());
    List<Workload.Event> fresh =
        workload.events().subList(next, to).stream().map(Workload.Event::copy).toList();
    next = to;
    return () -> run(fresh);
  }

  private void run(List<Workload.Event> events) {
    for (Workload.Event event : events) {
      while (event.atMicros() >= nextProgress) {
        watermark = workload.watermark(nextProgress);
        wakeAllThatAsked();
        nextProgress += Workload.PROGRESS_MICROS;
      }
      apply(event);
    }
  }

  private void apply(Workload.Event event) {
    int instance = event.instance();
    Detector detector = detectors[instance];
    take(
        event.candidate().interval().isOpen()
            ? detector.opened(event.candidate())
            : detector.closed(event.candidate()));
    wakes[instance] = detector.wakeAt();
    wake(instance);
  }

  private void wakeAllThatAsked() {
    for (int instance = 0; instance < wakes.length; instance++) {
      wake(instance);
    }
  }

  private void wake(int instance) {
    if (wakes[instance] <= watermark) {
      take(detectors[instance].progress(watermark));
      wakes[instance] = detectors[instance].wakeAt();
    }
  }

  private void take(List<Witness> found) {
    // By index: an iterator would be half of what some candidates allocate.
    for (int i = 0; i < found.size(); i++) {
      reports.accept(found.get(i));
    }
  }
}
