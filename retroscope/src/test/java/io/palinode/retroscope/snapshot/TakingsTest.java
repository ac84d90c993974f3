package io.palinode.retroscope.snapshot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.palinode.retroscope.snapshot.file.SnapshotException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class TakingsTest {
  private static final long HOUR_MS = 3_600_000;

  private final AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - 5);
  private final Takings takings = new Takings(nanos::get);

  @Test
  void oneWaitsOnlyForThoseThatBeganBeforeItTheNearestInTimeFirst() {
    Takings.Begun far = takings.begin(100);
    Takings.Begun near = takings.begin(290);
    Takings.Begun own = takings.begin(300);
    Takings.Begun later = takings.begin(301);
    Takings.Begun behind = takings.begin(305);
    assertThat(takings.before(own)).containsExactly(near, far);
    assertThat(takings.before(later)).containsExactly(own, near, far);
    assertThat(takings.before(behind)).containsExactly(later, own, near, far);
    assertThat(takings.before(far)).isEmpty();
    near.close();
    assertThat(takings.before(own)).containsExactly(far);
  }

  @Test
  void aWaitEndsAsSoonAsTheOtherSnapshotEnds() {
    Takings.Begun first = takings.begin(100);
    assertThat(takings.awaitEnd(first, 1)).isFalse();
    CompletableFuture<Boolean> ended =
        CompletableFuture.supplyAsync(() -> takings.awaitEnd(first, HOUR_MS));
    first.close();
    assertThat(ended.join()).isTrue();
    first.close();
    assertThat(takings.awaitEnd(first, HOUR_MS)).isTrue();
  }

  @Test
  void aSnapshotWithoutProgressForTenSecondsIsNotWaitedFor() {
    Takings.Begun first = takings.begin(100);
    Takings.Begun second = takings.begin(100);
    Watch observed = first.observed((keys, bytes) -> keys < 7);
    nanos.addAndGet(Takings.NO_PROGRESS_NANOS_MAX - 1);
    assertThat(takings.awaitEnd(first, 0)).isFalse();
    assertThat(observed.progress(6, 0)).isTrue();
    assertThat(observed.progress(7, 0)).isFalse();
    nanos.addAndGet(Takings.NO_PROGRESS_NANOS_MAX - 1);
    assertThat(takings.awaitEnd(first, 0)).isFalse();
    assertThat(takings.before(second)).containsExactly(first);
    nanos.addAndGet(1);
    assertThat(takings.awaitEnd(first, 0)).isTrue();
    assertThat(takings.before(second)).isEmpty();
  }

  @Test
  void anInterruptEndsAWaitAndIsRestored() {
    Takings.Begun first = takings.begin(100);
    Thread.currentThread().interrupt();
    assertThatThrownBy(() -> takings.awaitEnd(first, HOUR_MS))
        .isInstanceOf(SnapshotException.class);
    assertThat(Thread.interrupted()).isTrue();
  }
}
