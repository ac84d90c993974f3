package io.palinode.monitor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.palinode.detection.DetectionSpec;
import io.palinode.hvc.Causality;
import io.palinode.hvc.Epsilon;
import io.palinode.hvc.Uncertainty;
import io.palinode.predicate.ClauseShape;
import io.palinode.predicate.ReplicaRule;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;

class InstanceStateTest {
  private static final DetectionSpec SPEC =
      new DetectionSpec(
          3,
          List.of(ClauseShape.all(2)),
          new Causality(Epsilon.INFINITE, Uncertainty.CONSERVATIVE),
          ReplicaRule.ANY);

  private final InstanceState state = new InstanceState(7, 2, 3, 0x1234, new byte[] {10, 11});

  @Test
  void itsBytesStayTheSameFromVersionToVersion() {
    assertThat(HexFormat.of().formatHex(state.encode()))
        .isEqualTo(
            "01"
                + "0000000000000007"
                + "0000000000000002"
                + "00000003"
                + "0000000000001234"
                + "0a0b");
  }

  @Test
  void whatWasEncodedIsDecoded() {
    InstanceState decoded = InstanceState.decode(state.encode());
    assertThat(decoded).usingRecursiveComparison().isEqualTo(state);
  }

  @Test
  void bytesOfAnotherVersionAreRefused() {
    byte[] bytes = state.encode();
    bytes[0] = 2;
    assertThatThrownBy(() -> InstanceState.decode(bytes)).hasMessageContaining("version 1");
    assertThatThrownBy(() -> InstanceState.decode(new byte[] {1, 2}))
        .hasMessageContaining("bytes=2");
  }

  @Test
  void itIsStaleInANewerEpochAndUnderANewerVersionOfItsPredicate() {
    ActivePredicate same = new ActivePredicate("p", 2, SPEC);
    assertThat(state.isStale(7, same)).isFalse();
    assertThat(state.isStale(8, same)).isTrue();
    assertThat(state.isStale(7, new ActivePredicate("p", 3, SPEC))).isTrue();
    assertThat(state.isStale(7, ActivePredicate.deleted("p", 2))).isTrue();
  }
}
