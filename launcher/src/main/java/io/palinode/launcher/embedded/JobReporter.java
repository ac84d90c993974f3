package io.palinode.launcher.embedded;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.Metric;
import org.apache.flink.metrics.MetricConfig;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.metrics.reporter.MetricReporter;

/**
 * Puts what {@link JobMeter} lists into a registry, summed over the job's subtasks. Nothing is
 * computed before the registry is read. Counters keep their values across restarts of the job.
 * Thread-safe.
 */
final class JobReporter implements MetricReporter {
  private static final List<String> LABELS = List.of("predicate", "grade");

  private final MeterRegistry registry;
  private final Map<Series, Sum> sums = new HashMap<>();

  private record Series(JobMeter meter, Tags tags) {}

  JobReporter(MeterRegistry registry) {
    this.registry = registry;
  }

  @Override
  public void open(MetricConfig config) {}

  @Override
  public synchronized void notifyOfAddedMetric(Metric metric, String name, MetricGroup group) {
    JobMeter meter = JobMeter.of(name);
    if (meter != null) {
      sums.computeIfAbsent(new Series(meter, tags(meter, group)), this::register).add(metric);
    }
  }

  @Override
  public synchronized void notifyOfRemovedMetric(Metric metric, String name, MetricGroup group) {
    JobMeter meter = JobMeter.of(name);
    Sum sum = meter == null ? null : sums.get(new Series(meter, tags(meter, group)));
    if (sum != null) {
      sum.remove(metric);
    }
  }

  /** A cluster that starts again in this process must find the names free. */
  @Override
  public synchronized void close() {
    sums.values().forEach(sum -> registry.remove(sum.registered));
    sums.clear();
  }

  private Sum register(Series series) {
    JobMeter of = series.meter();
    Sum sum = new Sum(of);
    sum.registered =
        switch (of.kind()) {
          case COUNTER ->
              FunctionCounter.builder(of.meterName(), sum, Sum::value)
                  .description(of.what())
                  .tags(series.tags())
                  .register(registry);
          case GAUGE ->
              Gauge.builder(of.meterName(), sum, Sum::value)
                  .description(of.what())
                  .tags(series.tags())
                  .register(registry);
        };
    return sum;
  }

  private static Tags tags(JobMeter meter, MetricGroup group) {
    Map<String, String> variables = group.getAllVariables();
    Tags tags = meter.reason() == null ? Tags.empty() : Tags.of("reason", meter.reason());
    for (String label : LABELS) {
      // Flink writes the name of a variable so.
      String value = variables.get("<" + label + ">");
      if (value != null) {
        tags = tags.and(label, value);
      }
    }
    return tags;
  }

  /** One meter over all subtasks. Thread-safe: scrapes read while tasks come and go. */
  private static final class Sum {
    private final JobMeter of;
    private final List<Metric> live = new ArrayList<>();
    private double ended;

    @SuppressWarnings("NullAway.Init") // Set by register, which makes this.
    private Meter registered;

    Sum(JobMeter of) {
      this.of = of;
    }

    synchronized void add(Metric metric) {
      live.add(metric);
    }

    synchronized void remove(Metric metric) {
      if (live.remove(metric) && of.kind() == JobMeter.Kind.COUNTER) {
        ended += value(metric);
      }
    }

    synchronized double value() {
      double sum = ended;
      for (Metric metric : live) {
        sum += value(metric);
      }
      return of.scaled(sum);
    }

    private static double value(Metric metric) {
      if (metric instanceof Counter counter) {
        return counter.getCount();
      }
      return metric instanceof org.apache.flink.metrics.Gauge<?> gauge
              && gauge.getValue() instanceof Number number
          ? number.doubleValue()
          : 0;
    }
  }
}
