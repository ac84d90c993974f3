package io.palinode.monitor.instance;

import static io.palinode.monitor.Records.clock;
import static io.palinode.monitor.Records.interval;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.palinode.detection.Candidate;
import io.palinode.detection.DetectionSpec;
import io.palinode.detection.Witness;
import io.palinode.hvc.Causality;
import io.palinode.hvc.Epsilon;
import io.palinode.hvc.Grade;
import io.palinode.hvc.Uncertainty;
import io.palinode.monitor.Records;
import io.palinode.predicate.ClauseShape;
import io.palinode.predicate.ReplicaRule;
import io.palinode.wire.TopicLayout;
import io.palinode.wire.v1.CandidateRecord;
import io.palinode.wire.v1.VariableVersion;
import io.palinode.wire.v1.Violation;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What clients may put into a candidate of 512 KiB, and how much of it a violation has. */
class ViolationSizeTest {
  private static final int VALUE_PUBLISHED_MAX = 16 << 10;

  /** A vector clock of 32,767 entries with counters of 8 bytes. */
  private static final int CLOCK_MAX = 3 + 32_767 * 10;

  @Test
  void whatFitsIsWhole() {
    Violation violation = violation(4, version(5, VALUE_PUBLISHED_MAX, 10));
    assertThat(violation.hasWholeBytes()).isFalse();
    assertThat(violation.getWitnesses(0).getValues(0).getValue().size())
        .isEqualTo(VALUE_PUBLISHED_MAX);
  }

  @Test
  void longValuesAreCutToTheirBeginnings() {
    Violation violation = violation(65, version(5, VALUE_PUBLISHED_MAX, 10));
    assertThat(fits(violation)).isTrue();
    assertThat(violation.getWholeBytes()).isGreaterThan(65 * VALUE_PUBLISHED_MAX);
    assertThat(violation.getWitnessesList())
        .hasSize(65)
        .allSatisfy(
            witness -> {
              VariableVersion version = witness.getValues(0);
              assertThat(version.getValue().size()).isEqualTo(ViolationSize.VALUE_BYTES_MAX);
              assertThat(version.getValueBytes()).isEqualTo(VALUE_PUBLISHED_MAX);
              assertThat(version.getClock().size()).isEqualTo(10);
            });
  }

  @Test
  void aValueThatTheNodeCutKeepsItsLength() {
    VariableVersion cut =
        version(5, VALUE_PUBLISHED_MAX, 10).toBuilder().setValueBytes(7 << 20).build();
    assertThat(violation(65, cut).getWitnesses(64).getValues(0).getValueBytes()).isEqualTo(7 << 20);
  }

  @Test
  void longClocksAreRemovedFromAllVersions() {
    Violation violation = violation(4, version(5, 1, CLOCK_MAX));
    assertThat(fits(violation)).isTrue();
    assertThat(violation.getWitnessesList())
        .hasSize(4)
        .allSatisfy(
            witness -> {
              assertThat(witness.getValues(0).getKey().size()).isEqualTo(5);
              assertThat(witness.getValues(0).getValue().size()).isEqualTo(1);
              assertThat(witness.getValues(0).getClock().isEmpty()).isTrue();
              assertThat(witness.getValues(0).hasTimestampMs()).isFalse();
            });
  }

  @Test
  void longKeysAreRemovedWithTheirValues() {
    Violation violation = violation(4, version(400_000, 1, 10));
    assertThat(fits(violation)).isTrue();
    assertThat(violation.getWitnessesList())
        .hasSize(4)
        .allMatch(witness -> witness.getValuesCount() == 0)
        .allMatch(witness -> witness.getWriter().equals("client"));
  }

  @Test
  void theIdIsThatOfTheWholeViolation() {
    assertThat(violation(4, version(5, 1, CLOCK_MAX)).getId())
        .isEqualTo(violation(4, version(5, 1, 10)).getId());
  }

  @Test
  void whatDoesNotFitWithoutValuesIsTooLong() {
    String binding = "a=" + "1".repeat(ViolationSize.BYTES_MAX);
    Violation violation = violation(binding, 1, version(5, 1, 10));
    assertThat(ViolationSize.isTooLong(violation)).isTrue();
    assertThat(violation.getWitnesses(0).getValuesCount()).isZero();
  }

  private static boolean fits(Violation violation) {
    return !ViolationSize.isTooLong(violation)
        && violation.getSerializedSize() < TopicLayout.VIOLATION_RECORD_BYTES_MAX;
  }

  private static VariableVersion version(int keyBytes, int valueBytes, int clockBytes) {
    return VariableVersion.newBuilder()
        .setStore("s")
        .setKey(ByteString.copyFrom(new byte[keyBytes]))
        .setValue(ByteString.copyFrom(new byte[valueBytes]))
        .setClock(ByteString.copyFrom(new byte[clockBytes]))
        .setTimestampMs(1)
        .build();
  }

  private static Violation violation(int terms, VariableVersion each) {
    return violation("", terms, each);
  }

  private static Violation violation(String binding, int terms, VariableVersion each) {
    DetectionSpec spec =
        new DetectionSpec(
            Records.NODES,
            List.of(ClauseShape.all(terms)),
            new Causality(Epsilon.ofMicros(10), Uncertainty.CONSERVATIVE),
            ReplicaRule.ANY);
    List<Candidate> candidates = new ArrayList<>();
    for (int term = 0; term < terms; term++) {
      CandidateRecord opened =
          Records.opened(0, term + 1, interval(binding, term), clock(0, 100, 10));
      CandidateRecord.Builder longer = opened.toBuilder();
      longer.getOpenedBuilder().setValues(0, each);
      candidates.add(Change.of(longer.build(), spec).candidate());
    }
    return Violations.of(
        interval(binding, 0), spec, 1, new Witness(0, candidates, Grade.DEFINITE), 55);
  }
}
