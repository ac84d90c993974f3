package io.palinode.simulation.exhaustive;

import java.util.Locale;

/**
 * A possible next event of a {@link SmallWorld}.
 *
 * @param node the node that it concerns; negative: none
 */
record Action(Kind kind, int node) {
  enum Kind {
    ORCHESTRATOR_READS_CONTROL,
    ORCHESTRATOR_RECORD_ARRIVES,
    ORCHESTRATOR_DIES,
    NODE_WORKS,
    NODE_WORKS_AND_DIES_BEFORE_IT_SAYS_SO,
    NODE_DIES,
    NODE_STARTS,
    CLIENT_SENDS,
    REQUEST_ARRIVES,
    ANSWER_ARRIVES,
    MONITOR_REPORTS,
    MONITOR_JUDGES,
    OPERATOR_ABANDONS
  }

  boolean isCrash() {
    return switch (kind) {
      case ORCHESTRATOR_DIES, NODE_DIES, NODE_WORKS_AND_DIES_BEFORE_IT_SAYS_SO -> true;
      default -> false;
    };
  }

  @Override
  public String toString() {
    return kind.name().toLowerCase(Locale.ROOT) + (node < 0 ? "" : " " + node);
  }
}
