package io.palinode.orchestrator.history;

import static org.assertj.core.api.Assertions.assertThat;

import io.palinode.hvc.Hlc;
import io.palinode.orchestrator.history.Discarded.Part;
import io.palinode.orchestrator.history.Discarded.Span;
import io.palinode.wire.v1.ControlRecord;
import io.palinode.wire.v1.PlanOpened;
import io.palinode.wire.v1.Restore;
import io.palinode.wire.v1.Resume;
import io.palinode.wire.v1.Scope;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The times of the writes that a rollback discarded. Times are microseconds. */
class DiscardedTest {
  private static final RollbackProgress EARLIER = rollback(1, 0, 100, 200, 210, false);
  private static final RollbackProgress EARLIER_OF_SOME = rollback(1, 0, 100, 200, 210, true);
  private static final RollbackProgress LATER = rollback(2, 0, 50, 300, 310, false);

  @Test
  void itCoversAllWritesSinceTheTarget() {
    assertThat(discarded(EARLIER)).isEqualTo(found(210, span(100, 200)));
  }

  @Test
  void itOmitsWritesThatAnEarlierRollbackDiscarded() {
    assertThat(discarded(LATER, EARLIER)).isEqualTo(found(310, span(50, 100), span(210, 300)));
  }

  @Test
  void itCoversWritesThatAnEarlierRollbackKeptButNotThoseItUndid() {
    assertThat(discarded(LATER, EARLIER_OF_SOME))
        .isEqualTo(
            new Discarded(
                List.of(span(50, 200), span(210, 300)),
                hlc(310),
                List.of(new Part(span(100, 200), hlc(210)))));
    RollbackProgress between = rollback(2, 0, 150, 300, 310, false);
    assertThat(discarded(between, EARLIER_OF_SOME).except())
        .containsExactly(new Part(span(150, 200), hlc(210)));
    RollbackProgress after = rollback(2, 0, 250, 300, 310, false);
    assertThat(discarded(after, EARLIER_OF_SOME)).isEqualTo(found(310, span(250, 300)));
  }

  @Test
  void itCoversReinstatedWrites() {
    RollbackProgress undo = rollback(2, 1, 200, 300, 310, false);
    RollbackProgress all = rollback(3, 0, 50, 400, 410, false);
    assertThat(discarded(all, undo, EARLIER_OF_SOME))
        .isEqualTo(discarded(all, undo, EARLIER))
        .isEqualTo(found(410, span(50, 200), span(310, 400)));
  }

  private static Discarded discarded(RollbackProgress rollback, RollbackProgress... before) {
    return Discarded.of(rollback, List.of(before));
  }

  private static Discarded found(long settled, Span... spans) {
    return new Discarded(List.of(spans), hlc(settled), List.of());
  }

  private static RollbackProgress rollback(
      long epoch, long undoes, long target, long past, long clock, boolean ofSome) {
    Restore.Builder restore = Restore.newBuilder().setTarget(hlc(target)).setPast(hlc(past));
    if (ofSome) {
      restore.setAffected(Scope.getDefaultInstance());
    }
    ControlRecord.Builder of = ControlRecord.newBuilder().setEpoch(epoch);
    return RollbackProgress.opened(
            of.setPlanOpened(PlanOpened.newBuilder().setUndoes(undoes)).build())
        .after(of.setRestore(restore).build())
        .after(of.setResume(Resume.newBuilder().setClock(hlc(clock))).build());
  }

  private static Span span(long from, long to) {
    return new Span(hlc(from), hlc(to));
  }

  private static long hlc(long micros) {
    return Hlc.ofMicros(micros);
  }
}
