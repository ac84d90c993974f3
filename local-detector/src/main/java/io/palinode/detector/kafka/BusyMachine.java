package io.palinode.detector.kafka;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.function.DoubleSupplier;
import java.util.function.LongSupplier;

/**
 * Whether the processors of this machine, or of this container, have been busy for some seconds. A
 * collection or a compilation alone does not count. Thread-safe.
 */
final class BusyMachine {
  /** One for all threads: the virtual machine measures since the last call by any of them. */
  static final BusyMachine SHARED =
      new BusyMachine(
          ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class)::getCpuLoad,
          System::nanoTime);

  private static final long EVERY_NANOS = Duration.ofSeconds(1).toNanos();
  private static final double BUSY = 0.75;
  private static final int MEASUREMENTS = 5;
  private static final int BUSY_MEASUREMENTS = 3;

  private final DoubleSupplier load;
  private final LongSupplier nanos;
  private long measuredAt;

  /** A bit a measurement, the last one lowest: 1 if it was busy. */
  private int busy;

  /**
   * @param load the share of the processors' time in use since the last call, in [0, 1]; negative
   *     where it is not known
   */
  BusyMachine(DoubleSupplier load, LongSupplier nanos) {
    this.load = load;
    this.nanos = nanos;
    this.measuredAt = nanos.getAsLong();
  }

  /** Whether three of the last five seconds were over 75 % busy. Measures at most once a second. */
  synchronized boolean isBusy() {
    long now = nanos.getAsLong();
    if (now - measuredAt >= EVERY_NANOS) {
      measuredAt = now;
      busy = (busy << 1 | (load.getAsDouble() > BUSY ? 1 : 0)) & (1 << MEASUREMENTS) - 1;
    }
    return Integer.bitCount(busy) >= BUSY_MEASUREMENTS;
  }
}
