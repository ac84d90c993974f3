package io.palinode.orchestrator.rest;

import io.palinode.hvc.Hlc;
import io.palinode.orchestrator.Discarded;
import io.palinode.orchestrator.Rollback;
import java.util.List;

/** The JSON of the times in which clients wrote what a rollback discarded. */
record DiscardedView(long epoch, String target, String settled, List<SpanView> spans) {
  /** After {@code from}, up to {@code to}. */
  record SpanView(String from, String to) {}

  static DiscardedView of(Rollback rollback, Discarded discarded) {
    return new DiscardedView(
        rollback.epoch(),
        Hlc.format(rollback.target()),
        Hlc.format(discarded.settled()),
        discarded.spans().stream()
            .map(span -> new SpanView(Hlc.format(span.from()), Hlc.format(span.to())))
            .toList());
  }
}
