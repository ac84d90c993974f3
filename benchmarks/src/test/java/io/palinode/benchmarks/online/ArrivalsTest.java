package io.palinode.benchmarks.online;

import static org.assertj.core.api.Assertions.assertThat;

import io.palinode.wire.v1.CoverageLost;
import io.palinode.wire.v1.Violation;
import io.palinode.wire.v1.ViolationRecord;
import io.palinode.wire.v1.Witness;
import org.junit.jupiter.api.Test;

class ArrivalsTest {
  private final OpenLoop loop = new OpenLoop(1_000, 0.2);
  private final Arrivals arrivals = new Arrivals(loop, 1_000);

  @Test
  void latencyCountsFromWhenTheCandidateWasDue() {
    arrivals.received(violation("a", 1_099, 1_098), loop.dueNanos(99) + 3_000_000);
    arrivals.received(violation("b", 1_198, 1_199), loop.dueNanos(199) + 5_000_000);
    assertThat(arrivals.expected()).isEqualTo(2);
    assertThat(arrivals.received()).isEqualTo(2);
    assertThat(arrivals.latency().p50()).isBetween(2.99, 3.01);
    assertThat(arrivals.latency().max()).isBetween(4.99, 5.01);
  }

  @Test
  void aSecondReportOfOneViolationIsNoneOfItsOwn() {
    arrivals.received(violation("a", 1_098, 1_099), loop.dueNanos(99));
    arrivals.received(violation("a", 1_098, 1_099), loop.dueNanos(199));
    assertThat(arrivals.received()).isOne();
    assertThat(arrivals.extra()).isZero();
  }

  @Test
  void whatNoCandidateCompletesIsExtra() {
    arrivals.received(violation("a", 1_097, 1_099), loop.dueNanos(99));
    arrivals.received(violation("b", 1_050, 1_051), loop.dueNanos(99));
    arrivals.received(violation("c", 1_098, 1_099), loop.dueNanos(99));
    arrivals.received(violation("d", 1_098, 1_099), loop.dueNanos(99));
    assertThat(arrivals.extra()).isEqualTo(3);
    assertThat(arrivals.received()).isOne();
  }

  @Test
  void whatIsOfTheRunBeforeIsPassedOverAndLostCoverageIsCounted() {
    arrivals.received(violation("a", 998, 999), loop.dueNanos(99));
    arrivals.received(
        ViolationRecord.newBuilder().setCoverageLost(CoverageLost.newBuilder()).build(), 0);
    assertThat(arrivals.received() + arrivals.extra()).isZero();
    assertThat(arrivals.coverageLost()).isOne();
  }

  private static ViolationRecord violation(String id, long... candidates) {
    Violation.Builder violation = Violation.newBuilder().setId(id);
    for (long candidate : candidates) {
      violation.addWitnesses(Witness.newBuilder().setWriter(Long.toString(candidate)));
    }
    return ViolationRecord.newBuilder().setViolation(violation).build();
  }
}
