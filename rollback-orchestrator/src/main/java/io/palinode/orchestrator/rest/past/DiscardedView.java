package io.palinode.orchestrator.rest.past;

import io.palinode.hvc.Hlc;
import io.palinode.orchestrator.history.Discarded;
import io.palinode.orchestrator.plan.Rollback;
import java.util.List;

/** The JSON of the spans in which clients wrote what a rollback discarded. */
public record DiscardedView(
    long epoch, String target, String settled, List<SpanView> spans, List<PartView> except) {
  /** After {@code from}, up to {@code to}. */
  public record SpanView(String from, String to) {
    static SpanView of(Discarded.Span span) {
      return new SpanView(Hlc.format(span.from()), Hlc.format(span.to()));
    }
  }

  /** Writes in the span that were discarded at {@code settled}. */
  public record PartView(String from, String to, String settled) {
    static PartView of(Discarded.Part part) {
      SpanView span = SpanView.of(part.span());
      return new PartView(span.from(), span.to(), Hlc.format(part.settled()));
    }
  }

  public static DiscardedView of(Rollback rollback, Discarded discarded) {
    return new DiscardedView(
        rollback.epoch(),
        Hlc.format(rollback.target()),
        Hlc.format(discarded.settled()),
        discarded.spans().stream().map(SpanView::of).toList(),
        discarded.except().stream().map(PartView::of).toList());
  }
}
