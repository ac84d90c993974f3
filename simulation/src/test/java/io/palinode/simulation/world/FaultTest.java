package io.palinode.simulation.world;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.EnumSet;
import org.junit.jupiter.api.Test;

class FaultTest {
  @Test
  void aListOfFaultsIsReadAsItIsWritten() {
    assertThat(Fault.parse("crash, skew")).containsExactlyInAnyOrder(Fault.CRASH, Fault.SKEW);
    assertThat(Fault.parse("none")).isEmpty();
    assertThat(Fault.parse("all")).isEqualTo(EnumSet.allOf(Fault.class));
    for (Fault fault : Fault.values()) {
      assertThat(Fault.parse(Fault.format(EnumSet.of(fault)))).containsExactly(fault);
    }
  }

  @Test
  void anUnknownFaultIsRefusedWithTheKnownOnes() {
    assertThatThrownBy(() -> Fault.parse("crash,rain"))
        .hasMessageContaining("'rain'")
        .hasMessageContaining("partition");
  }
}
