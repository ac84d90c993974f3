package io.palinode.orchestrator.history;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.palinode.hvc.Hlc;
import io.palinode.hvc.Hvc;
import io.palinode.wire.CandidateRecords;
import io.palinode.wire.v1.CandidateRecord;
import io.palinode.wire.v1.Closed;
import io.palinode.wire.v1.IntervalRef;
import io.palinode.wire.v1.Opened;
import io.palinode.wire.v1.VariableVersion;
import io.palinode.wire.v1.Violation;
import io.palinode.wire.v1.Witness;
import org.junit.jupiter.api.Test;

class NeighbourhoodTest {
  private static final long VIOLATE = 100_000_000;
  private static final long FIRST = VIOLATE - 1_000_000;
  private static final Violation VIOLATION =
      Violation.newBuilder()
          .setPredicate("p")
          .setPredicateVersion(3)
          .setBinding("a=1")
          .setClause(0)
          .setEpoch(2)
          .setFirst(Hlc.ofMicros(FIRST))
          .setViolate(Hlc.ofMicros(VIOLATE))
          .addWitnesses(Witness.newBuilder().setNode(1).setIncarnation(1).setSequence(7))
          .build();
  private static final IntervalRef REF =
      IntervalRef.newBuilder()
          .setPredicate("p")
          .setPredicateVersion(3)
          .setBinding("a=1")
          .setTerm(1)
          .build();

  private final Neighbourhood found = new Neighbourhood(VIOLATION);

  @Test
  void itHasOtherIntervalsOfTheInstanceAndNotTheWitnesses() {
    found.read(opened(7, REF, VIOLATE));
    found.read(opened(8, REF, VIOLATE));
    found.read(opened(9, REF.toBuilder().setBinding("a=2").build(), VIOLATE));
    found.read(opened(10, REF.toBuilder().setClause(1).build(), VIOLATE));
    found.read(opened(11, REF.toBuilder().setPredicateVersion(4).build(), VIOLATE));
    found.read(opened(12, REF, VIOLATE).toBuilder().setEpoch(3).build());
    assertThat(found.nearest()).extracting(Witness::getSequence).containsExactly(8L);
    assertThat(found.nearest().get(0).getWriter()).isEqualTo("alice");
    assertThat(found.nearest().get(0).hasEnd()).isFalse();
    assertThat(found.isComplete()).isTrue();
  }

  @Test
  void anEndBelongsToItsOpening() {
    found.read(opened(8, REF, FIRST));
    found.read(closed(9, 8, FIRST, VIOLATE));
    assertThat(found.nearest()).hasSize(1);
    assertThat(found.nearest().get(0).getEnd()).isEqualTo(clock(VIOLATE));
    assertThat(found.nearest().get(0).getWriter()).isEqualTo("alice");
  }

  @Test
  void anIntervalWhoseOpeningIsOlderThanTheSpanIsKnownFromItsEnd() {
    found.read(closed(9, 3, FIRST - 60_000_000, VIOLATE));
    assertThat(found.nearest().get(0).getSequence()).isEqualTo(3);
    assertThat(found.nearest().get(0).getValues(0).getKey().toStringUtf8()).isEqualTo("x");
  }

  @Test
  void intervalsOutsideTheSpanAreLeftOut() {
    assertThat(found.from()).isEqualTo(Hlc.ofMicros(FIRST - 2_000_000));
    assertThat(found.to()).isEqualTo(Hlc.ofMicros(VIOLATE + 2_000_000));
    found.read(opened(8, REF, FIRST - 2_000_002));
    found.read(closed(9, 8, FIRST - 2_000_002, FIRST - 2_000_001));
    found.read(opened(10, REF, VIOLATE + 2_000_001));
    found.read(closed(12, 10, VIOLATE + 2_000_001, VIOLATE + 2_000_002));
    assertThat(found.nearest()).isEmpty();
  }

  @Test
  void theNearestOnesAreShownByTheirStarts() {
    for (int i = 0; i < Neighbourhood.SHOWN_MAX + 50; i++) {
      found.read(opened(100 + 2L * i, REF, VIOLATE - 2L * i - 1));
      found.read(closed(101 + 2L * i, 100 + 2L * i, VIOLATE - 2L * i - 1, VIOLATE - 2L * i));
    }
    assertThat(found.isComplete()).isFalse();
    assertThat(found.nearest()).hasSize(Neighbourhood.SHOWN_MAX);
    assertThat(found.nearest().get(Neighbourhood.SHOWN_MAX - 1).getSequence()).isEqualTo(100);
    assertThat(found.nearest().get(0).getSequence()).isEqualTo(100 + 2 * 199);
  }

  @Test
  void itsMemoryIsBounded() {
    for (int i = 0; i < Neighbourhood.KEPT_MAX; i++) {
      found.read(opened(100 + i, REF, VIOLATE + 1 + i));
    }
    found.read(opened(99, REF, VIOLATE));
    assertThat(found.nearest()).extracting(Witness::getSequence).doesNotContain(99L);
    assertThat(found.isComplete()).isFalse();
  }

  private static CandidateRecord opened(long sequence, IntervalRef ref, long micros) {
    return record(sequence)
        .setOpened(Opened.newBuilder().setInterval(ref).setStart(clock(micros)).setWriter("alice"))
        .build();
  }

  private static CandidateRecord closed(long sequence, long opened, long start, long end) {
    return record(sequence)
        .setClosed(
            Closed.newBuilder()
                .setInterval(REF)
                .setOpenedSequence(opened)
                .setStart(clock(start))
                .setEnd(clock(end))
                .setOpenedBy(VariableVersion.newBuilder().setKey(ByteString.copyFromUtf8("x"))))
        .build();
  }

  private static CandidateRecord.Builder record(long sequence) {
    return CandidateRecord.newBuilder()
        .setNode(1)
        .setIncarnation(1)
        .setEpoch(2)
        .setSequence(sequence);
  }

  private static ByteString clock(long micros) {
    return CandidateRecords.encode(Hvc.of(1, Hlc.ofMicros(micros), Hlc.ofMicros(micros)));
  }
}
