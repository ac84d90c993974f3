package io.palinode.orchestrator.violations;

import io.palinode.wire.v1.Touched;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * What a rollback was about, as its first {@code Restore} says.
 *
 * @param openedMicros when its plan was opened
 * @param inVain some instance that it touches was used sequentially already when it was opened: so
 *     that has not helped
 */
public record TouchingRollback(
    long epoch, long openedMicros, List<TouchedInstance> touches, boolean inVain) {
  public static final int TOUCHES_MAX = 64;

  /** Of all touches that a record names; keys may be long, and a record has to fit into the log. */
  static final int TOUCHES_BYTES_MAX = 65_536;

  public TouchingRollback {
    touches = List.copyOf(touches);
  }

  /** As many as a record may name; one that is too long by itself is passed over. */
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
