package io.palinode.detector;

import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/** Counts bugs, and keeps the first for the log. Thread-safe. */
final class Failures {
  private final LongAdder count = new LongAdder();
  private final AtomicReference<@Nullable Throwable> first = new AtomicReference<>();

  void record(Throwable bug) {
    count.increment();
    first.compareAndSet(null, bug);
  }

  long count() {
    return count.sum();
  }

  @Nullable Throwable first() {
    return first.get();
  }
}
