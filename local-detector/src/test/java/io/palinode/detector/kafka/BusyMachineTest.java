package io.palinode.detector.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class BusyMachineTest {
  private double load;
  private long nanos;
  private final BusyMachine machine = new BusyMachine(() -> load, () -> nanos);

  @Test
  void aMachineIsBusyAfterThreeBusySecondsOfFive() {
    assertThat(afterSecond(1)).isFalse();
    assertThat(afterSecond(0.95)).isFalse();
    assertThat(afterSecond(0.5)).isFalse();
    assertThat(afterSecond(0.76)).isTrue();
    assertThat(afterSecond(0.5)).isTrue();
    assertThat(afterSecond(0.5)).isFalse();
  }

  @Test
  void aSecondCountsOnceHoweverOftenItIsAsked() {
    afterSecond(1);
    for (int i = 0; i < 10; i++) {
      assertThat(machine.isBusy()).isFalse();
    }
  }

  @Test
  void anUnknownLoadIsNotBusy() {
    for (int i = 0; i < 10; i++) {
      assertThat(afterSecond(-1)).isFalse();
    }
  }

  private boolean afterSecond(double newLoad) {
    load = newLoad;
    nanos += Duration.ofSeconds(1).toNanos();
    return machine.isBusy();
  }
}
