package io.palinode.orchestrator;

import com.google.protobuf.ByteString;
import java.util.Collection;
import java.util.List;

/**
 * What a rollback was about, as its first {@code Restore} says.
 *
 * @param openedMicros when its plan was opened
 * @param inVain some instance that it touches was used sequentially already when it was opened: so
 *     that has not helped
 */
public record TouchingRollback(long epoch, long openedMicros, List<Touch> touches, boolean inVain) {
  static final int TOUCHES_MAX = 64;

  public TouchingRollback {
    touches = List.copyOf(touches);
  }

  boolean touches(Collection<ByteString> keys) {
    return touches.stream().anyMatch(touch -> touch.keys().stream().anyMatch(keys::contains));
  }

  boolean isOf(String predicate, String binding) {
    return touches.stream()
        .anyMatch(t -> t.predicate().equals(predicate) && t.binding().equals(binding));
  }

  boolean isOf(String predicate) {
    return touches.stream().anyMatch(touch -> touch.predicate().equals(predicate));
  }
}
