package io.palinode.store.hosted;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class FuseTest {
  private static final int FAILURES_MAX = 3;

  private final AtomicLong nanos = new AtomicLong(-TimeUnit.SECONDS.toNanos(100));
  private final AtomicInteger missed = new AtomicInteger();
  private final AtomicInteger blown = new AtomicInteger();
  private final Fuse fuse =
      new Fuse("", FAILURES_MAX, missed::incrementAndGet, blown::incrementAndGet, nanos::get);

  private void failAfter(int seconds) {
    nanos.addAndGet(TimeUnit.SECONDS.toNanos(seconds));
    fuse.failed(new IllegalStateException("thrown by the test"));
  }

  @Test
  void rareFailuresNeverBlowItHoweverMany() {
    for (int i = 0; i < 1_000; i++) {
      failAfter(30);
    }
    assertThat(fuse.isBlown()).isFalse();
    assertThat(fuse.failures()).isEqualTo(1_000);
    assertThat(missed).hasValue(1_000);
  }

  @Test
  void asManyFailuresAsTheLimitWithinAMinuteBlowItOnce() {
    failAfter(0);
    failAfter(60);
    failAfter(30);
    assertThat(fuse.isBlown()).isFalse();
    failAfter(29);
    assertThat(fuse.isBlown()).isTrue();
    failAfter(0);
    assertThat(blown).hasValue(1);
  }
}
