package io.palinode.simulation.check;

import java.util.ArrayList;
import java.util.List;

/**
 * The deletes that a node was the first to accept, as far as its process remembers: each with the
 * restores that undid it, for a later one may go back to before those.
 */
final class KnownDeletes {
  /** Of the versions of a key that a mark covers. */
  record Delete(String key, byte[] upTo, long hlc) {}

  private record Undo(long hlc, long target) {
    boolean takesBack(Delete delete, long cut) {
      return hlc <= cut && delete.hlc() < hlc && delete.hlc() > target;
    }
  }

  private final List<Delete> deletes = new ArrayList<>();
  private final List<Undo> undos = new ArrayList<>();

  void add(String key, byte[] upTo, long hlc) {
    deletes.add(new Delete(key, upTo, hlc));
  }

  void undone(long hlc, long target) {
    undos.add(new Undo(hlc, target));
  }

  void forget() {
    deletes.clear();
    undos.clear();
  }

  /** Those after {@code since} that stand at {@code cut}. */
  List<Delete> standingAt(long cut, long since) {
    return deletes.stream()
        .filter(delete -> delete.hlc() > since && delete.hlc() <= cut)
        .filter(delete -> undos.stream().noneMatch(undo -> undo.takesBack(delete, cut)))
        .toList();
  }
}
