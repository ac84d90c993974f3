package io.palinode.detection.trace;

import io.palinode.detection.Candidate;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A recorded trace of one instance, to be read once.
 *
 * @param nodes a cursor for each node
 * @param ascending whether no clock of a node's starts has an entry below that of the start before:
 *     then what is before all that follows is known from the next starts, and need not be kept
 */
public record TraceSource(List<CandidateCursor> nodes, boolean ascending) {
  private static final Comparator<Candidate> BY_START =
      Comparator.comparingLong(candidate -> candidate.interval().start().own());

  public TraceSource {
    nodes = List.copyOf(nodes);
  }

  /** Removes and returns the least by own start, then by node; null at the end. O(nodes). */
  @Nullable Candidate take() {
    Candidate least = null;
    int from = 0;
    for (int node = 0; node < nodes.size(); node++) {
      Candidate head = nodes.get(node).head();
      if (head != null
          && (least == null || head.interval().start().own() < least.interval().start().own())) {
        least = head;
        from = node;
      }
    }
    if (least != null) {
      nodes.get(from).advance();
    }
    return least;
  }

  /** {@code trace} in any order; those of a node with equal own starts stay in theirs. */
  public static TraceSource of(int nodes, List<Candidate> trace) {
    List<List<Candidate>> perNode = new ArrayList<>();
    for (int node = 0; node < nodes; node++) {
      perNode.add(new ArrayList<>());
    }
    trace.forEach(candidate -> perNode.get(candidate.id().node()).add(candidate));
    perNode.forEach(ofNode -> ofNode.sort(BY_START));
    return new TraceSource(
        perNode.stream().map(ofNode -> cursor(ofNode)).toList(),
        perNode.stream().allMatch(TraceSource::isAscending));
  }

  /** {@code ofNode} is in order. */
  public static CandidateCursor cursor(List<Candidate> ofNode) {
    Iterator<Candidate> rest = ofNode.iterator();
    return cursor(() -> rest.hasNext() ? rest.next() : null);
  }

  /** {@code next} gives candidates in order, and null at the end. */
  public static CandidateCursor cursor(Supplier<@Nullable Candidate> next) {
    return new SuppliedCursor(next);
  }

  private static boolean isAscending(List<Candidate> ofNode) {
    for (int i = 1; i < ofNode.size(); i++) {
      if (!ascends(ofNode.get(i - 1), ofNode.get(i))) {
        return false;
      }
    }
    return true;
  }

  /** Whether no entry of the next start is below that of the last one. */
  public static boolean ascends(Candidate last, Candidate next) {
    return last.interval().start().equals(next.interval().start())
        || last.interval().start().isBefore(next.interval().start());
  }

  private static final class SuppliedCursor implements CandidateCursor {
    private final Supplier<@Nullable Candidate> next;
    private @Nullable Candidate head;

    SuppliedCursor(Supplier<@Nullable Candidate> next) {
      this.next = next;
      this.head = next.get();
    }

    @Override
    public @Nullable Candidate head() {
      return head;
    }

    @Override
    public void advance() {
      head = next.get();
    }
  }
}
