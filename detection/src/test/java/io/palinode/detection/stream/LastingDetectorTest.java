package io.palinode.detection.stream;

import static io.palinode.detection.Given.at;
import static io.palinode.detection.Given.candidate;
import static io.palinode.detection.Given.conservative;
import static io.palinode.detection.Given.hvc;
import static io.palinode.detection.Given.names;
import static io.palinode.detection.Given.version;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.palinode.detection.DetectionLimits;
import io.palinode.detection.DetectionSpec;
import io.palinode.detection.Witness;
import io.palinode.hvc.Grade;
import io.palinode.predicate.ClauseRule;
import io.palinode.predicate.ClauseShape;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;

class LastingDetectorTest {
  private static final DetectionSpec SPEC = lasting(10);

  private final Detector detector = Detector.create(SPEC, DetectionLimits.DEFAULT);

  /** Two terms on two nodes for 100 µs, with ε = 10 µs. */
  private static DetectionSpec lasting(long epsilon) {
    DetectionSpec moments = conservative(2, epsilon + "us", 2);
    return new DetectionSpec(
        2,
        List.of(new ClauseShape(ClauseRule.ALL, List.of(1, 1), Duration.ofNanos(100_000))),
        moments.causality(),
        moments.replicas());
  }

  @Test
  void openIntervalsAreAViolationOnceTheProgressHasPassedTheirTime() {
    detector.opened(candidate(0, 0, 1, "1000/0", null));
    detector.opened(candidate(1, 1, 1, "0/1050", null));
    assertThat(detector.progress(at(1149))).isEmpty();
    assertThat(detector.wakeAt()).isEqualTo(at(1150));
    List<Witness> found = detector.progress(at(1150));
    assertThat(names(found)).containsExactly("0:1 1:1");
    assertThat(found.get(0).first()).isEqualTo(at(1000));
    assertThat(found.get(0).violate()).isEqualTo(at(1150));
    assertThat(found.get(0).grade()).isEqualTo(Grade.POSSIBLE);
    detector.progress(at(1161));
    assertThat(detector.raised()).extracting(Witness::grade).containsExactly(Grade.DEFINITE);
    assertThat(found.get(0).candidates().get(1).interval().start().own()).isEqualTo(at(1050));
  }

  @Test
  void whatOverlapsForLessThanTheTimeLessEpsilonIsNone() {
    detector.opened(candidate(0, 0, 1, "1000/0", null));
    detector.opened(candidate(1, 1, 1, "0/1050", null));
    // 90 µs after the later start: the clocks may differ by the rest, but not by more.
    detector.closed(candidate(0, 0, 1, "1000/0", "1140/0"), "", null);
    assertThat(detector.progress(at(2000))).isEmpty();
    assertThat(detector.wakeAt()).isEqualTo(Long.MAX_VALUE);
  }

  @Test
  void whatOverlapsForTheTimeLessEpsilonIsPossible() {
    detector.opened(candidate(0, 0, 1, "1000/0", null));
    detector.opened(candidate(1, 1, 1, "0/1050", null));
    detector.closed(candidate(0, 0, 1, "1000/0", "1141/0"), "", null);
    List<Witness> found = detector.progress(at(2000));
    assertThat(found).extracting(Witness::grade).containsExactly(Grade.POSSIBLE);
    assertThat(found.get(0).ended()).isEqualTo(at(1141));
  }

  /** A write that keeps the term true does not end the time for which it holds. */
  @Test
  void aVersionContinuesTheRunOfTheOneThatItEnded() {
    detector.opened(candidate(1, 1, 1, "0/1000", null));
    detector.opened(version(0, 0, 1, "1000/0", null, "k@1", null));
    detector.closed(version(0, 0, 1, "1000/0", "1060/0", "k@1", null), "k@2", null);
    detector.opened(version(0, 0, 2, "1061/0", null, "k@2", null));
    assertThat(names(detector.progress(at(1100)))).containsExactly("0:1 1:1");
  }

  @Test
  void aVersionThatDoesNotSatisfyTheTermEndsTheRun() {
    detector.opened(candidate(1, 1, 1, "0/1000", null));
    detector.opened(version(0, 0, 1, "1000/0", null, "k@1", null));
    detector.closed(version(0, 0, 1, "1000/0", "1060/0", "k@1", null), "k@2", null);
    detector.opened(version(0, 0, 2, "1063/0", null, "k@3", null));
    assertThat(detector.progress(at(1162))).isEmpty();
    assertThat(names(detector.progress(at(1163)))).containsExactly("0:2 1:1");
  }

  /** What held while the node was away is not known. */
  @Test
  void aRestartBeginsTheTimeAgain() {
    detector.opened(candidate(0, 0, 1, "1000/0", null));
    detector.opened(candidate(1, 1, 1, "0/1000", null));
    detector.restarted(0, 2, hvc(0, "1080/0"));
    assertThat(detector.progress(at(5000))).isEmpty();
  }

  @Test
  void aRunThatNoLimitHasRoomForIsCounted() {
    Detector small = Detector.create(SPEC, DetectionLimits.DEFAULT.withIntervalsMax(1));
    small.opened(candidate(0, 0, 1, "1000/0", null));
    small.opened(candidate(1, 1, 1, "0/1050", null));
    assertThat(small.overflows().intervals()).isEqualTo(1);
    assertThat(small.progress(at(5000))).isEmpty();
    small.closed(candidate(0, 0, 1, "1000/0", "6000/0"), "", null);
    small.closed(candidate(1, 1, 1, "0/1050", "0/6000"), "", null);
    small.progress(at(7000));
    assertThat(small.isEmpty()).isTrue();
  }

  /** Golden bytes: a checkpoint of this release must be readable by later ones. */
  @Test
  void theBytesOfItsStateStay() {
    detector.opened(version(0, 0, 1, "1000/0", null, "k@1", 0));
    detector.opened(candidate(1, 1, 1, "0/1050", null));
    detector.progress(at(1050));
    detector.closed(version(0, 0, 1, "1000/0", "1060/0", "k@1", 0), "k@2", null);
    detector.restarted(1, 2, hvc(1, "0/1070"));
    String bytes = HexFormat.of().formatHex(detector.toBytes());
    assertThat(bytes).isEqualTo(GOLDEN);
    Detector restored =
        Detector.restore(SPEC, DetectionLimits.DEFAULT, HexFormat.of().parseHex(GOLDEN));
    assertThat(HexFormat.of().formatHex(restored.toBytes())).isEqualTo(GOLDEN);
    assertThat(restored.wakeAt()).isEqualTo(at(1060));
  }

  private static final String GOLDEN =
      "010280c08602000101020200000001010c0102018080fa018080fa0100036b40310001070000000101010000010101010c01020280c0860280c08602000001070000000101010203"
          + "0c0102018080890280808902000300000001010c0102018080fa018080fa01000c010201808089028080890200036b4031000107036b4032010c01020280c08b0280c08b0200010210040280c0860200010001000000000000";

  @Test
  void bytesOfAnotherVersionOrClusterAreRefused() {
    byte[] bytes = detector.toBytes();
    bytes[0] = 9;
    assertThatThrownBy(() -> Detector.restore(SPEC, DetectionLimits.DEFAULT, bytes))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("version=9");
    byte[] cut = java.util.Arrays.copyOf(detector.toBytes(), 4);
    assertThatThrownBy(() -> Detector.restore(SPEC, DetectionLimits.DEFAULT, cut))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("cut off");
  }
}
