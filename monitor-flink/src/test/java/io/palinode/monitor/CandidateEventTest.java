package io.palinode.monitor;

import static io.palinode.monitor.Records.clock;
import static io.palinode.monitor.Records.interval;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import io.palinode.hvc.Hlc;
import io.palinode.hvc.Hvc;
import io.palinode.wire.CandidateRecords;
import io.palinode.wire.v1.CandidateRecord;
import io.palinode.wire.v1.Progress;
import org.junit.jupiter.api.Test;

class CandidateEventTest {
  @Test
  void anOpeningStandsAtItsStartAndAClosingAtItsEnd() {
    CandidateEvent opened =
        Records.event(3, Records.opened(1, 5, interval("a=1", 0), clock(1, 100, 10)));
    assertThat(opened.hlc()).isEqualTo(Hlc.ofMicros(100));
    assertThat(opened.key()).isEqualTo("p|a=1");
    assertThat(opened.partition()).isEqualTo(3);
    assertThat(opened.sequence()).isEqualTo(5);

    CandidateEvent closed =
        Records.event(
            Records.closed(1, 6, 5, interval("a=1", 0), clock(1, 100, 10), clock(1, 150, 10)));
    assertThat(closed.hlc()).isEqualTo(Hlc.ofMicros(150));
    assertThat(closed.kind()).isEqualTo(CandidateEvent.Kind.CLOSED);
  }

  @Test
  void progressGapsAndStopsBelongToNoInstance() {
    assertThat(Records.stopped(0, 1, 10).key()).isEmpty();
    assertThat(Records.stopped(0, 1, 10).hlc()).isEqualTo(Hlc.ofMicros(10));
    assertThat(Records.progress(0, 1, 10).key()).isEmpty();
    assertThat(Records.event(Records.gap(0, 1, 2, 10, 20)).key()).isEmpty();
  }

  @Test
  void aRecordOfAnotherClusterIsRefused() {
    assertThatThrownBy(() -> CandidateEvent.parse(0, 3, new byte[] {9, 9}))
        .hasMessageContaining("protobuf");
    assertThatThrownBy(() -> Records.event(Records.gap(7, 1, 2, 10, 20)))
        .hasMessageContaining("[0, 2]: node=7");
    assertThatThrownBy(() -> Records.event(Records.of(0, 1, 1).build()))
        .hasMessageContaining("must hold an event");
    assertThatThrownBy(() -> Records.event(progress(Hvc.of(0, 1, 2, 3, 4))))
        .hasMessageContaining("clock of its node among 3");
    assertThatThrownBy(() -> Records.event(progress(Hvc.of(1, 1, 2, 3))))
        .hasMessageContaining("clock of its node");
    assertThatThrownBy(
            () ->
                Records.event(
                    Records.of(0, 1, 1)
                        .setProgress(Progress.newBuilder().setHvc(ByteString.EMPTY))
                        .build()))
        .isInstanceOf(IllegalArgumentException.class);
  }

  private static CandidateRecord progress(Hvc clock) {
    return Records.of(0, 1, 0)
        .setProgress(Progress.newBuilder().setHvc(CandidateRecords.encode(clock)))
        .build();
  }
}
