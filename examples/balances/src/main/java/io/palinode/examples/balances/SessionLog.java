package io.palinode.examples.balances;

import io.palinode.voldemort.protocol.VectorClock;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What one client read and wrote, in order. For one thread until that has ended. */
public final class SessionLog {
  private static final int ENTRIES_MAX = 10_000_000;

  private final String client;
  private final List<Entry> entries = new ArrayList<>();

  /** One operation that has ended, or one of the siblings that a read returned. */
  public sealed interface Entry {
    String key();

    /** Null if the key was absent. */
    @Nullable String value();
  }

  /**
   * @param clock null from a teller, which reads values alone
   */
  public record Read(String key, @Nullable String value, @Nullable VectorClock clock)
      implements Entry {}

  /**
   * @param onTopOf what the client had read right before; null if the key was absent
   * @param node the node that accepted it first
   * @param acceptedAt the HLC of that node
   * @param tries at least 1; more, or another node than the key's first one, may have left a second
   *     version of the same value
   */
  public record Put(
      String key, @Nullable String onTopOf, String value, int node, long acceptedAt, int tries)
      implements Entry {}

  SessionLog(String client) {
    this.client = client;
  }

  void add(Entry entry) {
    if (entries.size() == ENTRIES_MAX) {
      throw new IllegalStateException("entries of a log must be at most " + ENTRIES_MAX);
    }
    entries.add(entry);
  }

  public String client() {
    return client;
  }

  public List<Entry> entries() {
    return Collections.unmodifiableList(entries);
  }

  public List<Put> puts() {
    return entries.stream().filter(Put.class::isInstance).map(Put.class::cast).toList();
  }
}
