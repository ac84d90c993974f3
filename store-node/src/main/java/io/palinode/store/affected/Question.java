package io.palinode.store.affected;

import java.util.Set;

/**
 * The writes of the witnesses that a rollback must undo.
 *
 * @param target no write at or before this HLC is undone
 * @param witnesses the writes with which the violations' witnesses began, those after the target
 * @param clientsMax the most clients that may be named
 * @param percentMax of the keys that changed after the target; if more would be restored, all are
 */
public record Question(long target, Set<Moment> witnesses, int clientsMax, int percentMax) {
  public static final int CLIENTS_MAX = 1_000;
  public static final int PERCENT_MAX = 50;

  /** A node's HLC. */
  public record Moment(int node, long hlc) {}

  public Question {
    witnesses = Set.copyOf(witnesses);
    if (witnesses.isEmpty()) {
      throw new IllegalArgumentException("there must be a witness's write to undo");
    }
    if (clientsMax < 0 || percentMax < 0 || percentMax > 100) {
      throw new IllegalArgumentException(
          "bounds must not be negative, and a share at most 100 %%: clientsMax=%d percentMax=%d"
              .formatted(clientsMax, percentMax));
    }
  }
}
