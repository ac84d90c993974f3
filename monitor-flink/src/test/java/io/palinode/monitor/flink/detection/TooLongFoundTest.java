package io.palinode.monitor.flink.detection;

import static io.palinode.monitor.Records.clock;
import static io.palinode.monitor.Records.interval;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.palinode.hvc.Hlc;
import io.palinode.monitor.Records;
import io.palinode.wire.TopicLayout;
import io.palinode.wire.v1.CandidateRecord;
import io.palinode.wire.v1.CoverageLost;
import io.palinode.wire.v1.Violation;
import io.palinode.wire.v1.ViolationRecord;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Violations that would be too long for a record of Kafka. */
class TooLongFoundTest extends DetectionFixture {
  @Test
  void aViolationOfLongClocksIsPublishedWithoutThem() throws Exception {
    learn(1);
    openWithClock(0, 0, 1_000);
    openWithClock(1, 1, 1_005);
    watermark(2_000);
    requireThatEachFits();
    assertThat(violations())
        .singleElement()
        .extracting(Violation::getWholeBytes)
        .matches(bytes -> bytes > TopicLayout.VIOLATION_RECORD_BYTES_MAX);
  }

  @Test
  void aViolationThatCannotBeCutEnoughIsACoverageGap() throws Exception {
    learn(1);
    String binding = "a=" + "1".repeat(TopicLayout.VIOLATION_RECORD_BYTES_MAX);
    apply(Records.opened(0, 1, interval(binding, 0), clock(0, 1_000, LAG)));
    apply(Records.opened(1, 1, interval(binding, 1), clock(1, 1_005, LAG)));
    watermark(2_000);
    requireThatEachFits();
    assertThat(violations()).isEmpty();
    List<CoverageLost> gaps =
        records().stream()
            .filter(ViolationRecord::hasCoverageLost)
            .map(ViolationRecord::getCoverageLost)
            .toList();
    assertThat(gaps).hasSize(1);
    assertThat(gaps.get(0).getToHlc()).isGreaterThan(Hlc.ofMicros(1_005));
    assertThat(gaps.get(0).getCause())
        .startsWith("detection of p with a=111")
        .contains("a violation has 1,048,7")
        .endsWith("bytes without its values, and a record has room for 1,047,552");
  }

  private void openWithClock(int node, int term, long micros) throws Exception {
    CandidateRecord.Builder opened =
        Records.opened(node, 1, interval("", term), clock(node, micros, LAG)).toBuilder();
    opened.getOpenedBuilder().getValuesBuilder(0).setClock(ByteString.copyFrom(new byte[524_288]));
    apply(opened.build());
  }

  private void requireThatEachFits() {
    assertThat(records())
        .allMatch(
            record -> record.getSerializedSize() < TopicLayout.VIOLATION_RECORD_BYTES_MAX - 512);
  }
}
