package io.palinode.orchestrator.history;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.palinode.hvc.Hlc;
import io.palinode.hvc.Hvc;
import io.palinode.orchestrator.Alert;
import io.palinode.orchestrator.ReceivedViolation;
import io.palinode.wire.CandidateRecords;
import io.palinode.wire.v1.VariableVersion;
import io.palinode.wire.v1.Violation;
import io.palinode.wire.v1.ViolationGrade;
import io.palinode.wire.v1.Witness;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ViolationAlertTest {
  @Test
  void itHasKeysValuesClientsAndWhatTheGradeMeans() {
    long start = Hlc.ofMicros(100_000);
    Violation violation =
        Violation.newBuilder()
            .setId("5d1f")
            .setEpsilon("1ms")
            .setGrade(ViolationGrade.DEFINITE)
            .setViolate(start)
            .addWitnesses(
                Witness.newBuilder()
                    .setNode(1)
                    .setWriter("7")
                    .setStart(CandidateRecords.encode(Hvc.of(1, new long[] {0, start})))
                    .addValues(
                        VariableVersion.newBuilder()
                            .setStore("s")
                            .setKey(ByteString.copyFromUtf8("cs_1"))
                            .setValue(ByteString.copyFromUtf8("1"))))
            .build();
    Alert plain =
        new Alert(Alert.Kind.VIOLATION, Map.of("predicate", "mutex"), Map.of(), List.of(), 100_000);
    Map<String, String> annotations =
        ViolationAlert.of(plain, ReceivedViolation.first(violation, 100_000, false)).annotations();
    assertThat(annotations.get("description"))
        .isEqualTo(
            "Node 1 since 1970-01-01T00:00:00.100Z: key cs_1 of store s is '1', written by"
                + " client 7.");
    assertThat(annotations.get("meaning"))
        .startsWith("definite: term 0 on node 1 began at 1970-01-01T00:00:00.100000Z");
  }
}
