package io.palinode.launcher.embedded;

import com.google.protobuf.InvalidProtocolBufferException;
import io.palinode.wire.KafkaSettings;
import io.palinode.wire.LogTail;
import io.palinode.wire.v1.CoverageLost;
import io.palinode.wire.v1.Violation;
import io.palinode.wire.v1.ViolationRecord;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Collectors;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/** Everything in the violations' topic, as it comes. */
final class ViolationLog implements AutoCloseable {
  private final List<Violation> violations = new CopyOnWriteArrayList<>();
  private final List<Long> arrivalNanos = new CopyOnWriteArrayList<>();
  private final List<CoverageLost> losses = new CopyOnWriteArrayList<>();
  private final List<String> disorder = new CopyOnWriteArrayList<>();
  private final Set<String> ids = new HashSet<>();
  private final LogTail tail;
  private volatile long judged = Long.MIN_VALUE;

  ViolationLog(KafkaSettings kafka, String topic) {
    tail =
        new LogTail(
            "violation-log",
            kafka,
            LogTail.Source.all(topic, LogTail.From.BEGINNING),
            this::onRecord);
    tail.start();
  }

  /** The last report of each: grades rise. */
  List<Violation> of(String predicate) {
    Map<String, Violation> latest = new LinkedHashMap<>();
    violations.stream()
        .filter(violation -> violation.getPredicate().equals(predicate))
        .forEach(violation -> latest.put(violation.getId(), violation));
    return List.copyOf(latest.values());
  }

  /** How many reports there were, repeats included. */
  int reports(String predicate) {
    return (int) violations.stream().filter(v -> v.getPredicate().equals(predicate)).count();
  }

  /** Of the reports but the first {@code from}, repeats included. */
  Set<String> idsSince(String predicate, int from) {
    return violations.stream()
        .filter(violation -> violation.getPredicate().equals(predicate))
        .skip(from)
        .map(Violation::getId)
        .collect(Collectors.toSet());
  }

  /** When the first report of each binding arrived. */
  Map<String, Long> arrivals(String predicate) {
    Map<String, Long> arrivals = new HashMap<>();
    for (int i = 0; i < violations.size(); i++) {
      if (violations.get(i).getPredicate().equals(predicate)) {
        arrivals.putIfAbsent(violations.get(i).getBinding(), arrivalNanos.get(i));
      }
    }
    return arrivals;
  }

  List<CoverageLost> losses() {
    return losses;
  }

  long judged() {
    return judged;
  }

  /** Violations that came after a judgement that should have covered them. */
  List<String> disorder() {
    return disorder;
  }

  @Override
  public void close() {
    tail.close();
  }

  private void onRecord(ConsumerRecord<byte[], byte[]> record) {
    long now = System.nanoTime();
    ViolationRecord read = parse(record.value());
    if (read.hasJudged()) {
      judged = Math.max(judged, read.getJudged().getHlc());
    } else if (read.hasCoverageLost()) {
      losses.add(read.getCoverageLost());
    } else if (read.hasViolation()) {
      Violation violation = read.getViolation();
      if (ids.add(violation.getId()) && violation.getViolate() <= judged) {
        disorder.add("violate=" + violation.getViolate() + " after judged=" + judged);
      }
      arrivalNanos.add(now);
      violations.add(violation);
    }
  }

  private static ViolationRecord parse(byte[] bytes) {
    try {
      return ViolationRecord.parseFrom(bytes);
    } catch (InvalidProtocolBufferException e) {
      throw new IllegalStateException(e);
    }
  }
}
