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
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Two nodes; an answer within 1 ms, with ε = 10 µs. */
class WithinDetectorTest {
  private static final DetectionSpec SPEC = within();

  private final Detector detector = searched(DetectionLimits.DEFAULT);

  private static DetectionSpec within() {
    DetectionSpec moments = conservative(2, "10us", 2);
    ClauseRule rule = new ClauseRule.Within(Duration.ofMillis(1));
    return new DetectionSpec(
        2, List.of(new ClauseShape(rule, List.of(1, 1))), moments.causality(), moments.replicas());
  }

  private static Detector searched(DetectionLimits limits) {
    Detector detector = Detector.create(SPEC, limits);
    detector.searched(0, 1, hvc(0, "100/0"));
    detector.searched(1, 1, hvc(1, "0/100"));
    return detector;
  }

  @Test
  void aTriggerIsViolatedOnceNoAnswerCanBeInTime() {
    detector.opened(candidate(0, 0, 1, "1000/0", null));
    assertThat(detector.wakeAt()).isEqualTo(at(2010));
    assertThat(detector.progress(at(2010) - 1)).isEmpty();
    List<Witness> found = detector.progress(at(2010));
    assertThat(names(found)).containsExactly("0:1");
    assertThat(found.get(0).grade()).isEqualTo(Grade.DEFINITE);
    assertThat(found.get(0).first()).isEqualTo(at(1000));
    assertThat(found.get(0).violate()).isEqualTo(at(2010));
    assertThat(detector.isEmpty()).isTrue();
  }

  @Test
  void aLateCopyOfATriggerIsNoGap() {
    detector.opened(candidate(0, 0, 1, "1000/0", null));
    assertThat(detector.progress(at(2010))).hasSize(1);
    detector.opened(version(1, 0, 1, "0/1500", null, "v", 0));
    assertThat(detector.overflows().triggers()).isZero();
    detector.opened(candidate(1, 0, 2, "0/1600", null));
    assertThat(detector.overflows().triggers()).as("no copy").isEqualTo(1);
  }

  @Test
  void anAnswerInTimeIsEnoughAndIsForgottenLater() {
    detector.opened(candidate(0, 0, 1, "1000/0", null));
    detector.opened(candidate(1, 1, 1, "0/1500", null));
    detector.closed(candidate(1, 1, 1, "0/1500", "0/1501"), "", null);
    assertThat(detector.progress(at(1600))).isEmpty();
    assertThat(detector.isEmpty()).isTrue();
    assertThat(detector.progress(at(9000))).isEmpty();
  }

  @Test
  void anAnswerThatHeldBeforeAndStillHoldsIsEnough() {
    detector.opened(candidate(1, 1, 1, "0/500", null));
    detector.opened(candidate(0, 0, 1, "1000/0", null));
    assertThat(detector.progress(at(9000))).isEmpty();
    detector.opened(candidate(0, 0, 2, "9500/0", null));
    detector.closed(candidate(1, 1, 1, "0/500", "0/9450"), "", null);
    assertThat(names(detector.progress(at(20_000)))).containsExactly("0:2");
  }

  @Test
  void anAnswerNearTheEndOfTheTimeMakesItPossible() {
    detector.opened(candidate(0, 0, 1, "1000/0", null));
    detector.opened(candidate(1, 1, 1, "0/2005", null));
    List<Witness> found = detector.progress(at(3000));
    assertThat(names(found)).containsExactly("0:1 1:1");
    assertThat(found.get(0).grade()).isEqualTo(Grade.POSSIBLE);
  }

  /** A replica that receives the version later asks for nothing again. */
  @Test
  void aCopyOfATriggerIsNone() {
    detector.opened(version(1, 0, 1, "0/1000", null, "k@1", 0));
    assertThat(detector.isEmpty()).isTrue();
    detector.opened(version(0, 0, 1, "1000/0", null, "k@1", 0));
    assertThat(names(detector.progress(at(9000)))).containsExactly("0:1");
  }

  @Test
  void nothingIsReportedWhereAnAnswerMayHaveBeenMissed() {
    detector.missed(at(2000), at(2005));
    detector.opened(candidate(0, 0, 1, "1000/0", null));
    detector.opened(candidate(0, 0, 2, "2500/0", null));
    assertThat(names(detector.progress(at(9000)))).containsExactly("0:2");
    assertThat(detector.overflows().triggers()).isEqualTo(1);
  }

  /** A restart ends answers; what is open again is known once the node has searched its keys. */
  @Test
  void afterARestartItIsSilentUntilTheSearch() {
    detector.opened(candidate(1, 1, 1, "0/500", null));
    detector.restarted(1, 2, hvc(1, "0/3000"));
    detector.opened(candidate(0, 0, 1, "2000/0", null));
    detector.opened(candidate(0, 0, 2, "4000/0", null));
    detector.opened(candidate(0, 0, 3, "6000/0", null));
    detector.searched(1, 1, hvc(1, "0/100"));
    detector.searched(1, 2, hvc(1, "0/5000"));
    assertThat(names(detector.progress(at(9000)))).containsExactly("0:3");
    assertThat(detector.overflows().triggers()).isEqualTo(1);
  }

  /** The end may be what is missing, and then every later trigger would seem to be answered. */
  @Test
  void anOpenAnswerOfANodeThatMissesEventsAnswersNoLaterTrigger() {
    detector.opened(candidate(1, 1, 1, "0/500", null));
    detector.unpublished(1, at(600), Long.MAX_VALUE);
    detector.opened(candidate(0, 0, 1, "1000/0", null));
    detector.opened(candidate(1, 0, 2, "0/1100", null));
    detector.opened(candidate(1, 1, 3, "0/1200", null));
    assertThat(detector.progress(at(2010))).isEmpty();
    assertThat(detector.overflows().triggers()).as("the other answer was in time").isZero();
    detector.opened(candidate(0, 0, 2, "3000/0", null));
    assertThat(detector.progress(at(9000))).isEmpty();
    assertThat(detector.overflows().triggers()).isEqualTo(1);
    detector.searched(1, 1, hvc(1, "0/9100"));
    detector.opened(candidate(0, 0, 3, "9500/0", null));
    assertThat(detector.progress(at(20_000))).isEmpty();
    assertThat(detector.overflows().triggers()).as("what is open is known").isEqualTo(1);
  }

  @Test
  void beforeAnySearchNothingIsReported() {
    Detector fresh = Detector.create(SPEC, DetectionLimits.DEFAULT);
    fresh.opened(candidate(0, 0, 1, "1000/0", null));
    assertThat(fresh.progress(at(9000))).isEmpty();
    assertThat(fresh.overflows().triggers()).isEqualTo(1);
  }

  @Test
  void aTriggerThatNoLimitHasRoomForIsCounted() {
    Detector small = searched(DetectionLimits.DEFAULT.withIntervalsMax(1));
    small.opened(candidate(0, 0, 1, "1000/0", null));
    small.opened(candidate(0, 0, 2, "1100/0", null));
    assertThat(small.overflows().intervals()).isEqualTo(1);
    assertThat(names(small.progress(at(9000)))).containsExactly("0:2");
  }

  /** A forgotten answer must not make a violation. */
  @Test
  void afterAForgottenAnswerNothingIsReportedThatItMayHaveAnswered() {
    Detector small = searched(DetectionLimits.DEFAULT.withIntervalsMax(1));
    small.opened(candidate(0, 1, 1, "900/0", null));
    small.opened(candidate(1, 1, 1, "0/950", null));
    small.closed(candidate(1, 1, 1, "0/950", "0/960"), "", null);
    small.progress(at(990));
    small.opened(candidate(0, 0, 2, "1000/0", null));
    assertThat(small.progress(at(9000))).isEmpty();
    assertThat(small.overflows().triggers()).isEqualTo(1);
    assertThat(small.isEmpty()).isFalse();
  }

  /** Golden bytes: a checkpoint of this release must be readable by later ones. */
  @Test
  void theBytesOfItsStateStay() {
    detector.opened(candidate(1, 1, 1, "0/900", null));
    detector.closed(candidate(1, 1, 1, "0/900", "0/990"), "k@2", null);
    detector.opened(candidate(1, 1, 2, "0/2005", null));
    detector.opened(version(0, 0, 1, "1000/0", null, "k@1", 0));
    detector.restarted(1, 2, hvc(1, "0/2050"));
    detector.missed(at(1500), at(1510));
    String bytes = HexFormat.of().formatHex(detector.toBytes());
    assertThat(bytes).isEqualTo(GOLDEN);
    Detector restored =
        Detector.restore(SPEC, DetectionLimits.DEFAULT, HexFormat.of().parseHex(GOLDEN));
    assertThat(HexFormat.of().formatHex(restored.toBytes())).isEqualTo(GOLDEN);
    assertThat(restored.wakeAt()).isEqualTo(at(2010));
  }

  private static final String GOLDEN =
      "010200000001ffffffffffffffff7f0280c08004030200000001010c0102018080fa018080fa0100036b"
          + "40310001070100010101010c0102028080e1018080e101000c01020280c0f70180c0f701000001070100"
          + "010101020c01020280a0f50380a0f503000c010202ffbf8004ffbf8004000001070200808019018080f7"
          + "0280c0f90200";

  @Test
  void bytesOfAnotherVersionOrClusterAreRefused() {
    byte[] bytes = detector.toBytes();
    bytes[0] = 9;
    assertThatThrownBy(() -> Detector.restore(SPEC, DetectionLimits.DEFAULT, bytes))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("version=9");
    byte[] cut = Arrays.copyOf(detector.toBytes(), 4);
    assertThatThrownBy(() -> Detector.restore(SPEC, DetectionLimits.DEFAULT, cut))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("cut off");
  }
}
