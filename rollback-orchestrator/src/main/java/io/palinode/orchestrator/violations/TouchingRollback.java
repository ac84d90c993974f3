package io.palinode.orchestrator.violations;

import io.palinode.wire.v1.Touched;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * The subject of a rollback, as its first {@code Restore} states it. Immutable.
 *
 * @param openedMicros when its plan was opened
 * @param inVain a touched instance was already used sequentially at the opening, without effect
 */
public record TouchingRollback(
    long epoch, long openedMicros, List<TouchedInstance> touches, boolean inVain) {
  public static final int TOUCHES_MAX = 64;

  /** The limit of all touches in one record, since keys can be long and records are bounded. */
  static final int TOUCHES_BYTES_MAX = 65_536;

  public TouchingRollback {
    touches = List.copyOf(touches);
  }

  /** As many touches as one record may hold, without those that exceed the limit alone. */
  public static List<Touched> bounded(Stream<TouchedInstance> touches) {
    List<Touched> named = new ArrayList<>();
    long bytes = 0;
    for (TouchedInstance touch : touches.distinct().limit(TOUCHES_MAX).toList()) {
      Touched next = touch.toProto();
      if (bytes + next.getSerializedSize() <= TOUCHES_BYTES_MAX) {
        bytes += next.getSerializedSize();
        named.add(next);
      }
    }
    return named;
  }

  public boolean isOf(String predicate, String binding) {
    return touches.stream()
        .anyMatch(t -> t.predicate().equals(predicate) && t.binding().equals(binding));
  }

  public boolean isOf(String predicate) {
    return touches.stream().anyMatch(touch -> touch.predicate().equals(predicate));
  }
}
