package io.palinode.orchestrator.health;

import io.palinode.orchestrator.Alert;
import io.palinode.orchestrator.health.Clocks.Level;
import io.palinode.wire.v1.NodeReport;
import java.util.Map;

/** The alerts that nodes' reports raise, and their texts. */
final class NodeAlerts {
  private static final long MICROS_PER_MILLI = 1_000;

  private NodeAlerts() {}

  static Alert clockOff(NodeReport of, Level level, String ahead, long nowMicros) {
    String epsilon =
        of.hasEpsilonMicros() ? of.getEpsilonMicros() / MICROS_PER_MILLI + " ms" : "infinite";
    String fix =
        level == Level.NEAR_EPSILON
            ? "correct that clock before verdicts are wrong"
            : "nodes refuse messages that are %d ms ahead: correct that clock"
                .formatted(of.getMaxDriftMicros() / MICROS_PER_MILLI);
    return Alert.toOperator(
            Alert.Kind.CLOCK_OFFSET,
            Map.of("node", Integer.toString(of.getNode())),
            "the clock of node %d is %s, epsilon is %s%s"
                    .formatted(
                        of.getNode(), ahead, epsilon, level == Level.NEAR_EPSILON ? ": " : ", and ")
                + fix,
            nowMicros)
        .annotated("severity", level == Level.BEYOND_DRIFT ? "critical" : "warning");
  }

  static Alert clockRight(int node, long nowMicros) {
    return Alert.toOperator(
            Alert.Kind.CLOCK_OFFSET,
            Map.of("node", Integer.toString(node)),
            "the clock of node %d agrees with the other clocks again".formatted(node),
            nowMicros)
        .endedAt(nowMicros);
  }

  static Alert clockRefused(NodeReport report, long nowMicros) {
    return Alert.toOperator(
        Alert.Kind.CLOCK_REFUSED,
        Map.of(
            "node", Integer.toString(report.getNode()),
            "other", Integer.toString(report.getRefusedNode())),
        "node %d refused a message because the clock of node %d in it is %d ms ahead, limit %d ms; compare both clocks"
            .formatted(
                report.getNode(),
                report.getRefusedNode(),
                report.getRefusedAheadMicros() / MICROS_PER_MILLI,
                report.getMaxDriftMicros() / MICROS_PER_MILLI),
        nowMicros);
  }

  static Alert storageRefuses(int node, String reason, long nowMicros) {
    return Alert.toOperator(
        Alert.Kind.STORAGE_REFUSES,
        Map.of("node", Integer.toString(node)),
        "node %d refuses all writes, and rollbacks wait for it: %s".formatted(node, reason),
        nowMicros);
  }

  static Alert storageWorks(int node, long nowMicros) {
    return Alert.toOperator(
            Alert.Kind.STORAGE_REFUSES,
            Map.of("node", Integer.toString(node)),
            "node %d accepts writes again".formatted(node),
            nowMicros)
        .endedAt(nowMicros);
  }
}
