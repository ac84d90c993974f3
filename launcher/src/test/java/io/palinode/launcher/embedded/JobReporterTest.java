package io.palinode.launcher.embedded;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.Map;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.Gauge;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.metrics.SimpleCounter;
import org.apache.flink.metrics.groups.UnregisteredMetricsGroup;
import org.junit.jupiter.api.Test;

class JobReporterTest {
  private static final MetricGroup PLAIN = group(Map.of("<job_id>", "1"));
  private static final MetricGroup OF_A = group(Map.of("<job_id>", "1", "<predicate>", "a"));
  private static final MetricGroup OF_B = group(Map.of("<predicate>", "b"));

  private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
  private final JobReporter reporter = new JobReporter(registry);

  @Test
  void subtasksAreOneMeterAndPredicatesHaveTheirOwn() {
    reporter.notifyOfAddedMetric(counter(3), "candidates", OF_A);
    reporter.notifyOfAddedMetric(counter(4), "candidates", OF_A);
    reporter.notifyOfAddedMetric(counter(5), "candidates", OF_B);
    assertThat(count("palinode.job.candidates", "predicate", "a")).isEqualTo(7);
    assertThat(count("palinode.job.candidates", "predicate", "b")).isEqualTo(5);
  }

  @Test
  void whatComesToNothingIsOneMeterByReason() {
    reporter.notifyOfAddedMetric(counter(1), "candidatesOutdated", PLAIN);
    reporter.notifyOfAddedMetric(counter(2), "candidatesOfOldEpoch", PLAIN);
    assertThat(count("palinode.job.candidates.unused", "reason", "outdated")).isEqualTo(1);
    assertThat(count("palinode.job.candidates.unused", "reason", "old_epoch")).isEqualTo(2);
  }

  @Test
  void aViolationsGradeIsALabel() {
    MetricGroup definite = group(Map.of("<predicate>", "a", "<grade>", "definite"));
    reporter.notifyOfAddedMetric(counter(1), "violations", definite);
    assertThat(count("palinode.job.violations", "grade", "definite", "predicate", "a"))
        .isEqualTo(1);
  }

  @Test
  void countersContinueWhenTheJobRestartsButGaugesDoNot() {
    Counter before = counter(3);
    Counter kept = counter(2);
    reporter.notifyOfAddedMetric(before, "candidates", OF_A);
    reporter.notifyOfAddedMetric(kept, "instances", OF_A);
    reporter.notifyOfRemovedMetric(before, "candidates", OF_A);
    reporter.notifyOfRemovedMetric(kept, "instances", OF_A);
    before.inc();
    assertThat(count("palinode.job.candidates", "predicate", "a")).isEqualTo(3);
    assertThat(registry.get("palinode.job.instances").gauge().value()).isZero();
    reporter.notifyOfAddedMetric(counter(4), "candidates", OF_A);
    assertThat(count("palinode.job.candidates", "predicate", "a")).isEqualTo(7);
  }

  @Test
  void flinksGaugesAreReadInTheMetersUnit() {
    Gauge<Long> took = () -> 250L;
    Gauge<Long> none = () -> -1L;
    reporter.notifyOfAddedMetric(took, "lastCheckpointDuration", PLAIN);
    reporter.notifyOfAddedMetric(none, "lastCheckpointFullSize", PLAIN);
    assertThat(registry.get("palinode.job.checkpoint.seconds").gauge().value()).isEqualTo(0.25);
    assertThat(registry.get("palinode.job.checkpoint.bytes").gauge().value()).isZero();
  }

  @Test
  void whatIsNotListedIsLeftToFlink() {
    reporter.notifyOfAddedMetric(counter(1), "numRecordsIn", PLAIN);
    reporter.notifyOfRemovedMetric(counter(1), "numRecordsIn", PLAIN);
    reporter.notifyOfRemovedMetric(counter(1), "candidates", OF_A);
    assertThat(registry.getMeters()).isEmpty();
  }

  @Test
  void afterCloseTheRegistryIsEmpty() {
    reporter.notifyOfAddedMetric(counter(1), "candidates", OF_A);
    reporter.notifyOfAddedMetric(counter(1), "instances", OF_A);
    reporter.close();
    assertThat(registry.getMeters()).isEmpty();
  }

  private double count(String name, String... tags) {
    return registry.get(name).tags(tags).functionCounter().count();
  }

  private static Counter counter(long count) {
    Counter counter = new SimpleCounter();
    counter.inc(count);
    return counter;
  }

  private static MetricGroup group(Map<String, String> variables) {
    return new UnregisteredMetricsGroup() {
      @Override
      public Map<String, String> getAllVariables() {
        return variables;
      }
    };
  }
}
