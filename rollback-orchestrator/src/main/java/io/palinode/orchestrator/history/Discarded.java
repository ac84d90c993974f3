package io.palinode.orchestrator.history;

import java.util.ArrayList;
import java.util.List;

/**
 * The times in which clients wrote what a rollback discarded.
 *
 * @param settled HLC by which all nodes had done with it
 * @param except what earlier rollbacks discarded that undid only some of what was written in these
 *     times: the rest stood, until this one
 */
public record Discarded(List<Span> spans, long settled, List<Part> except) {
  public Discarded {
    spans = List.copyOf(spans);
    except = List.copyOf(except);
  }

  /** After {@code from}, up to {@code to}. */
  public record Span(long from, long to) {}

  /** What was written in the span and was gone at {@code settled}. */
  public record Part(Span span, long settled) {}

  /**
   * What rollbacks before it had discarded is not its doing, nor is what they wrote to do so.
   *
   * @param before all earlier ones that are known, in any order
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

  /** What was brought back before {@code by} is among what that may discard. */
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
