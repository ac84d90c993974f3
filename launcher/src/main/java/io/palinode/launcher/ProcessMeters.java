package io.palinode.launcher;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.jvm.JvmGcMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmMemoryMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmThreadMetrics;
import io.micrometer.core.instrument.binder.system.FileDescriptorMetrics;
import io.micrometer.core.instrument.binder.system.ProcessorMetrics;
import io.micrometer.core.instrument.binder.system.UptimeMetrics;

/**
 * The meters of this process: memory, pauses, threads, processor, files. They have the names that
 * Micrometer gives them, such as {@code jvm.memory.used}.
 */
public final class ProcessMeters implements AutoCloseable {
  private final JvmGcMetrics pauses = new JvmGcMetrics();

  private ProcessMeters(MeterRegistry registry) {
    new JvmMemoryMetrics().bindTo(registry);
    pauses.bindTo(registry);
    new JvmThreadMetrics().bindTo(registry);
    new ProcessorMetrics().bindTo(registry);
    new FileDescriptorMetrics().bindTo(registry);
    new UptimeMetrics().bindTo(registry);
  }

  /** Adds the meters to the registry of this process, which ends with it. */
  public static ProcessMeters of(MeterRegistry registry) {
    return new ProcessMeters(registry);
  }

  /** Ends the watch of pauses. */
  @Override
  public void close() {
    pauses.close();
  }
}
