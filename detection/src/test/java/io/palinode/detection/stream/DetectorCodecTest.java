package io.palinode.detection.stream;

import static io.palinode.detection.Given.at;
import static io.palinode.detection.Given.candidate;
import static io.palinode.detection.Given.conservative;
import static io.palinode.detection.Given.firstReplicas;
import static io.palinode.detection.Given.version;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.palinode.detection.Candidate;
import io.palinode.detection.DetectionLimits;
import io.palinode.detection.DetectionSpec;
import io.palinode.predicate.ClauseRule;
import io.palinode.predicate.ClauseShape;
import io.palinode.predicate.template.Decimal;
import java.math.BigDecimal;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The bytes of a detector, and what they refuse. */
class DetectorCodecTest {
  private static final DetectionSpec SPEC = firstReplicas(conservative(2, "10us", 2));
  private static final DetectionSpec SUM =
      new DetectionSpec(
          2,
          List.of(
              new ClauseShape(
                  new ClauseRule.Sum(
                      ClauseRule.Relation.BELOW, new Decimal(BigDecimal.valueOf(-9))),
                  List.of(1, 1))),
          SPEC.causality(),
          SPEC.replicas());

  private static final DetectionSpec DISTINCT =
      new DetectionSpec(
          2,
          List.of(new ClauseShape(new ClauseRule.AtLeast(2, "c"), List.of(1))),
          SPEC.causality(),
          SPEC.replicas());

  /** Version 3, as first written. It must be readable for as long as states of it may be kept. */
  private static final String VERSION_3 =
      "030280e0f80100010b01020180c0fa0180e00100010b01020280c0fb018080040003020000000101"
          + "0b0102018080fa0180c00200037840310001070101000100000001090b01020180a0fa0180c00100"
          + "0b01020180c0fa0180e001000001070101000200010101010b0102028080fa0180c0020003794031"
          + "0101070101000200020200020002020102010001037940320b0102028080fb0180c0030001000000"
          + "0101040b01020280c0fb0180800400037840390107";

  private static final String HOLDING = "010002020002";

  /** With a variable of a sum. */
  private static final String VERSION_3_SUM =
      "03020000010b01020180a0fa0180c001000000000000010400000001090b01020180a0fa0180c001"
          + "0003784031052d312e353000";

  /** With members: one retained, and one that ended before it began. */
  private static final String VERSION_3_DISTINCT =
      "03020000010b0102018080fa0180c00200010b0102028080fb0180c00300010a00000001010b0102"
          + "018080fa0180c00200037840310005633d616e6e01070000000001000005633d626f620379403"
          + "20b0102028080fb0180c0030000";

  @Test
  void theBytesOfVersion4StayAsTheyAre() {
    assertKept(version4(VERSION_3, HOLDING), SPEC, everything());
    assertKept(version4(VERSION_3_DISTINCT, "00"), DISTINCT, ofMembers());
    assertKept(version4(VERSION_3_SUM, "00"), SUM, ofSum());
  }

  @Test
  void theBytesOfVersion3AreReadWithoutHoldingReports() {
    assertThat(rewritten(VERSION_3, SPEC)).isEqualTo(version4(VERSION_3, "00"));
  }

  /** Version 4 adds the holding reports at the end. */
  private static String version4(String version3, String holding) {
    return "04" + version3.substring(2) + holding;
  }

  private static void assertKept(String hex, DetectionSpec spec, InstanceDetector detector) {
    assertThat(HexFormat.of().formatHex(detector.toBytes())).isEqualTo(hex);
    assertThat(rewritten(hex, spec)).isEqualTo(hex);
  }

  private static String rewritten(String hex, DetectionSpec spec) {
    InstanceDetector restored = InstanceDetector.restore(spec, HexFormat.of().parseHex(hex));
    return HexFormat.of().formatHex(restored.toBytes());
  }

  private static InstanceDetector ofSum() {
    InstanceDetector detector = InstanceDetector.create(SUM);
    Candidate plain = candidate(0, 0, 9, "1001/995", null);
    detector.opened(
        new Candidate(
            0, 0, plain.id(), plain.interval(), "x@1", null, new BigDecimal("-1.50"), new byte[0]));
    return detector;
  }

  private static InstanceDetector ofMembers() {
    InstanceDetector detector = InstanceDetector.create(DISTINCT);
    detector.opened(version(0, 0, 1, "1000/990", null, "x@1", 0).ofMember("c=ann"));
    detector.closed(version(1, 0, 3, "990/1003", "990/1004", "y@2", null).ofMember("c=bob"), "", 1);
    return detector;
  }

  @Test
  void aNewDetectorTakesAFewBytes() {
    assertThat(InstanceDetector.create(SPEC).toBytes()).hasSizeLessThan(16);
  }

  @Test
  void bytesOfAnotherVersionOrClusterOrPredicateAreRefused() {
    byte[] bytes = everything().toBytes();
    byte[] version1 = bytes.clone();
    version1[0] = 1;
    assertThatThrownBy(() -> InstanceDetector.restore(SPEC, version1))
        .hasMessage(
            "a detector's state must be of version 3 or 4, and no other can be converted: version=1");
    assertThatThrownBy(() -> InstanceDetector.restore(conservative(3, "10us", 2), bytes))
        .hasMessageContaining("of a cluster of 2 nodes: nodes=3");
    assertThatThrownBy(() -> InstanceDetector.restore(conservative(2, "10us", 1), bytes))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void bytesThatAreCutOffOrTooLongAreRefused() {
    byte[] bytes = everything().toBytes();
    for (int length = 0; length < bytes.length; length++) {
      byte[] cut = Arrays.copyOf(bytes, length);
      assertThatThrownBy(() -> InstanceDetector.restore(SPEC, cut))
          .as("length=%d", length)
          .isInstanceOf(IllegalArgumentException.class);
    }
    assertThatThrownBy(() -> InstanceDetector.restore(SPEC, Arrays.copyOf(bytes, bytes.length + 1)))
        .hasMessageContaining("extra bytes=1");
  }

  /** A detector that has something of each kind to keep. */
  private static InstanceDetector everything() {
    InstanceDetector detector =
        InstanceDetector.create(SPEC, DetectionLimits.DEFAULT.withIntervalsMax(5));
    detector.progress(at(100));
    detector.opened(version(0, 0, 1, "1000/990", null, "x@1", 0));
    detector.opened(version(1, 1, 1, "990/1000", null, "y@1", 1));
    detector.progress(at(995));
    detector.closed(version(1, 1, 3, "990/1003", "990/1004", "y@2", null), "y@3", 1);
    detector.opened(candidate(0, 0, 9, "1001/995", null));
    detector.closed(candidate(0, 0, 9, "1001/995", "1002/995"), "", null);
    detector.opened(version(1, 0, 4, "990/1006", null, "x@9", null));
    return detector;
  }
}
