package io.palinode.orchestrator;

import java.util.Map;

/**
 * A predicate in force asks for rollbacks, and a node cannot restore one of its keys. Immutable.
 *
 * @param why how these keys begin, and the reason
 */
public record Unrestorable(String predicate, int node, String why) {
  /** One sentence, for operators. */
  public String text() {
    return "predicate '%s' asks for rollbacks, but node %d cannot restore %s"
        .formatted(predicate, node, why);
  }

  /** Raised once for each predicate. */
  public Alert alert(long nowMicros) {
    return alert(text() + "; its rollbacks will halt", nowMicros);
  }

  /** The end of that alert. */
  public Alert end(long nowMicros) {
    return alert("rollbacks of predicate '%s' are possible again".formatted(predicate), nowMicros)
        .endedAt(nowMicros);
  }

  private Alert alert(String summary, long nowMicros) {
    return Alert.toOperator(
        Alert.Kind.CANNOT_ROLL_BACK, Map.of("predicate", predicate), summary, nowMicros);
  }
}
