package io.palinode.orchestrator;

import com.google.protobuf.ByteString;
import io.palinode.hvc.Hlc;
import io.palinode.wire.v1.Converged;
import io.palinode.wire.v1.IntervalRef;
import io.palinode.wire.v1.Restored;
import io.palinode.wire.v1.VariableVersion;
import io.palinode.wire.v1.Violation;
import io.palinode.wire.v1.ViolationGrade;
import io.palinode.wire.v1.Witness;
import java.util.Collection;

/** The records that {@link Script} passes to the machine. Times are in microseconds. */
final class Records {
  private Records() {}

  static Violation.Builder violation(
      String id, String predicate, long first, long violate, long epoch, ViolationGrade grade) {
    return Violation.newBuilder()
        .setId(id)
        .setPredicate(predicate)
        .setPredicateVersion(1)
        .setFirst(Hlc.ofMicros(first))
        .setViolate(Hlc.ofMicros(violate))
        .setEpoch(epoch)
        .setGrade(grade);
  }

  /** Of the instance {@code binding}, with a witness for each of the keys. */
  static Violation violation(
      String predicate, String binding, long violate, long epoch, Collection<String> keys) {
    String id = predicate + binding + "@" + violate;
    Violation.Builder violation =
        violation(id, predicate, violate, violate, epoch, ViolationGrade.POSSIBLE)
            .setBinding(binding);
    for (String key : keys) {
      violation.addWitnesses(
          Witness.newBuilder()
              .addValues(VariableVersion.newBuilder().setKey(ByteString.copyFromUtf8(key))));
    }
    return violation.build();
  }

  static Restored.Builder acknowledged(int node, int attempt) {
    return Restored.newBuilder().setNode(node).setAttempt(attempt).setLast(true);
  }

  static Converged.Builder compared(int node, int attempt) {
    return Converged.newBuilder().setNode(node).setAttempt(attempt).setLast(true);
  }

  static IntervalRef.Builder holding(String predicate, int term) {
    return IntervalRef.newBuilder().setPredicate(predicate).setPredicateVersion(1).setTerm(term);
  }
}
