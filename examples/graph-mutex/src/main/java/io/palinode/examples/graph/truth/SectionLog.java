package io.palinode.examples.graph.truth;

import io.palinode.examples.graph.Edge;
import io.palinode.voldemort.client.session.RolledBack;
import java.util.ArrayList;
import java.util.List;

/**
 * What one client wrote to the cells of its sections, and when; and which rollbacks it learned of.
 * Thread-safe; one writer. Times are {@code System.nanoTime} of the process.
 */
public final class SectionLog {
  public static final int ENTRIES_MAX = 1_000_000;

  /** {@code acceptedAt} of a call that failed: the write may have been accepted or not. */
  public static final long UNKNOWN = -1;

  private final int client;
  private final List<Entry> entries = new ArrayList<>();
  private long dropped;

  public SectionLog(int client) {
    this.client = client;
  }

  public int client() {
    return client;
  }

  /**
   * The client wrote {@code value} to the cell of {@code edge}'s end {@code end}.
   *
   * @param calledNanos right before the call
   * @param returnedNanos right after it returned or threw
   * @param acceptedAt HLC of the write, or {@link #UNKNOWN}
   */
  public void wrote(
      Edge edge, int end, String value, long calledNanos, long returnedNanos, long acceptedAt) {
    add(new Write(edge, end, value, calledNanos, returnedNanos, acceptedAt));
  }

  public void rolledBack(RolledBack rolledBack, long learnedNanos) {
    add(new Undo(rolledBack, learnedNanos));
  }

  /** A copy of what there is so far, in the client's order. */
  public synchronized List<Entry> entries() {
    return List.copyOf(entries);
  }

  /** Entries that came after the log was full, and are not in it. */
  public synchronized long dropped() {
    return dropped;
  }

  private synchronized void add(Entry entry) {
    if (entries.size() < ENTRIES_MAX) {
      entries.add(entry);
    } else {
      dropped++;
    }
  }

  /** One line of the log. */
  public sealed interface Entry permits Write, Undo {}

  /** See {@link SectionLog#wrote}. */
  public record Write(
      Edge edge, int end, String value, long calledNanos, long returnedNanos, long acceptedAt)
      implements Entry {
    public Write {
      if (!edge.touches(end)) {
        throw new IllegalArgumentException(
            "the end must be one of the edge's: end=" + end + " edge=" + edge);
      }
    }

    boolean isKnown() {
      return acceptedAt != UNKNOWN;
    }
  }

  /** See {@link SectionLog#rolledBack}. */
  public record Undo(RolledBack rolledBack, long learnedNanos) implements Entry {}
}
