package io.palinode.monitor.flink.detection;

import static org.assertj.core.api.Assertions.assertThat;

import io.palinode.wire.v1.ViolationGrade;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.metrics.SimpleCounter;
import org.apache.flink.metrics.groups.UnregisteredMetricsGroup;
import org.junit.jupiter.api.Test;

class PredicateMetersTest {
  private final Map<String, Counter> registered = new TreeMap<>();
  private final PredicateMeters meters = new PredicateMeters(new Recorded(registered, ""));

  @Test
  void eachPredicateIsCountedByItself() {
    meters.of("a").candidate();
    meters.of("a").candidate();
    meters.of("b").candidate();
    meters.of("a").instanceKept();
    meters.of("a").instanceKept();
    meters.of("a").instanceDropped();
    meters.of("b").coverageLost(3);
    meters.of("a").violation(ViolationGrade.DEFINITE);
    meters.of("a").violation(ViolationGrade.VIOLATION_GRADE_UNSPECIFIED);
    assertThat(count("predicate=a.candidates")).isEqualTo(2);
    assertThat(count("predicate=b.candidates")).isEqualTo(1);
    assertThat(count("predicate=a.instances")).isEqualTo(1);
    assertThat(count("predicate=b.coverageLost")).isEqualTo(3);
    assertThat(count("predicate=a.grade=definite.violations")).isEqualTo(1);
    assertThat(count("predicate=a.grade=possible.violations")).isZero();
    assertThat(registered).hasSize(14);
  }

  @Test
  void manyPredicatesShareALabel() {
    for (int i = 0; i < PredicateMeters.PREDICATES_MAX + 100; i++) {
      meters.of("p" + i).candidate();
    }
    meters.of("p0").candidate();
    assertThat(count("predicate=p0.candidates")).isEqualTo(2);
    assertThat(count("predicate=other.candidates")).isEqualTo(100);
  }

  private long count(String name) {
    return Objects.requireNonNull(registered.get(name), name).getCount();
  }

  /** Counters by the path of their groups. */
  private static final class Recorded extends UnregisteredMetricsGroup {
    private final Map<String, Counter> all;
    private final String path;

    Recorded(Map<String, Counter> all, String path) {
      this.all = all;
      this.path = path;
    }

    @Override
    public Counter counter(String name) {
      return all.computeIfAbsent(path + name, unused -> new SimpleCounter());
    }

    @Override
    public MetricGroup addGroup(String key, String value) {
      return new Recorded(all, path + key + "=" + value + ".");
    }
  }
}
