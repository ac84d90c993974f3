package io.palinode.orchestrator.history;

import java.util.ArrayList;
import java.util.List;

/**
 * The spans in which clients wrote what a rollback discarded. Immutable.
 *
 * @param settled the HLC by which all nodes had completed the rollback
 * @param except the parts that earlier rollbacks of only some writes had discarded; the other
 *     writes there stood until this rollback
 */
public record Discarded(List<Span> spans, long settled, List<Part> except) {
  public Discarded {
    spans = List.copyOf(spans);
    except = List.copyOf(except);
  }

  /** After {@code from}, up to {@code to}. */
  public record Span(long from, long to) {}

  /** Writes in the span that were discarded at {@code settled}. */
  public record Part(Span span, long settled) {}

  /**
   * The spans of a rollback, without those that earlier rollbacks had discarded or written.
   *
   * @param before all known earlier rollbacks, in any order
   */
  static Discarded of(RollbackProgress rollback, List<RollbackProgress> before) {
    if (rollback.target() == 0 || rollback.past() == 0 || rollback.clock() == 0) {
      return new Discarded(List.of(), rollback.clock(), List.of());
    }
    List<Span> spans = List.of(new Span(rollback.target(), rollback.past()));
    List<Part> except = new ArrayList<>();
    for (RollbackProgress earlier : before) {
      boolean took = earlier.epoch() < rollback.epoch() && earlier.target() > 0;
      if (took && !isUndone(earlier, rollback, before)) {
        spans = without(spans, earlier.goneSince(), earlier.clock());
        long from = Math.max(rollback.target(), earlier.target());
        if (from < earlier.goneSince()) {
          except.add(new Part(new Span(from, earlier.goneSince()), earlier.clock()));
        }
      }
    }
    return new Discarded(spans, rollback.clock(), except);
  }

  /** Whether {@code some} was reinstated before {@code by}, which may then discard its writes. */
  private static boolean isUndone(
      RollbackProgress some, RollbackProgress by, List<RollbackProgress> all) {
    return all.stream()
        .anyMatch(
            undo ->
                undo.epoch() < by.epoch()
                    && undo.operator().undoes() == some.epoch()
                    && undo.target() == some.past());
  }

  private static List<Span> without(List<Span> spans, long from, long to) {
    List<Span> left = new ArrayList<>();
    for (Span span : spans) {
      add(left, span.from(), Math.min(span.to(), from));
      add(left, Math.max(span.from(), to), span.to());
    }
    return List.copyOf(left);
  }

  private static void add(List<Span> spans, long from, long to) {
    if (from < to) {
      spans.add(new Span(from, to));
    }
  }
}
