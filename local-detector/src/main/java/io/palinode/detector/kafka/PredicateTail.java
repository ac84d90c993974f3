package io.palinode.detector.kafka;

import io.palinode.detector.LocalDetector;
import io.palinode.detector.terms.ActivePredicate;
import io.palinode.predicate.PredicateLimits;
import io.palinode.predicate.form.Predicates;
import io.palinode.predicate.text.PredicateException;
import io.palinode.wire.LogTail;
import io.palinode.wire.RecordReader;
import io.palinode.wire.v1.PredicateRecord;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.LongAdder;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InterruptException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Sets the detector's predicates from the predicates topic; retries failures. */
final class PredicateTail implements LogTail.Listener {
  private static final Logger log = LoggerFactory.getLogger(PredicateTail.class);
  private static final Duration RETRY_AFTER = Duration.ofSeconds(1);

  private final RecordReader<PredicateRecord> reader;
  private final LocalDetector detector;
  private final Map<String, ActivePredicate> active = new TreeMap<>();
  private final Map<String, Long> versions = new TreeMap<>();

  /** The versions that could be read, deleted ones included. */
  private final Map<String, Long> taken = new TreeMap<>();

  private final LongAdder refused = new LongAdder();
  private final LongAdder failures = new LongAdder();
  private final WatchedVersions published;
  private boolean changed;
  private boolean caughtUp;
  private boolean failed;
  private long retryAt;
  private long lookAt = System.nanoTime();

  /** {@code published} publishes the versions that the detector watches. */
  PredicateTail(
      RecordReader<PredicateRecord> reader, LocalDetector detector, WatchedVersions published) {
    this.reader = reader;
    this.detector = detector;
    this.published = published;
  }

  @Override
  public void onRecord(ConsumerRecord<byte[], byte[]> record) {
    reader.read(record, this::read);
  }

  @Override
  public void onUnreadable(TopicPartition partition, long offset, KafkaException why) {
    reader.refuseUnreadable(partition, offset, why);
  }

  private void read(PredicateRecord record) {
    String name = record.getName();
    if (record.getVersion() <= versions.getOrDefault(name, 0L)) {
      return;
    }
    versions.put(name, record.getVersion());
    changed = true;
    // Also if the new version is refused, the earlier one no longer applies.
    active.remove(name);
    taken.put(name, record.getVersion());
    if (record.getDeleted()) {
      log.info("predicate={} version={} state=DELETED", name, record.getVersion());
      return;
    }
    try {
      active.put(
          name,
          new ActivePredicate(
              name,
              record.getVersion(),
              Predicates.parse(
                  record.getYaml(),
                  name + " version " + record.getVersion(),
                  PredicateLimits.CEILING)));
      log.info("predicate={} version={} state=ACTIVE", name, record.getVersion());
    } catch (PredicateException e) {
      refused.increment();
      taken.remove(name);
      log.error("predicate={} version={} state=REFUSED", name, record.getVersion(), e);
    }
  }

  @Override
  public void onCaughtUp() {
    log.info("predicates={} state=CAUGHT_UP", active.size());
    caughtUp = true;
    onPolled();
  }

  /** Records of one poll cost one index and one scan of the store. */
  @Override
  public void onPolled() {
    boolean isDue = !failed || System.nanoTime() - retryAt >= 0;
    if ((changed || !published.has(taken)) && caughtUp && isDue) {
      apply();
    } else if (caughtUp && System.nanoTime() - lookAt >= 0) {
      openRefused();
    }
  }

  private void openRefused() {
    lookAt = System.nanoTime() + RETRY_AFTER.toNanos();
    try {
      detector.openRefused();
    } catch (InterruptException closing) {
      throw closing;
    } catch (RuntimeException e) {
      failures.increment();
      log.error("predicates={} state=FAILED retry={}", active.size(), RETRY_AFTER, e);
    }
  }

  /**
   * The one place that catches any exception: a store may throw any, and a failed scan must be
   * repeated.
   */
  private void apply() {
    try {
      if (changed) {
        detector.setPredicates(active.values());
        changed = false;
      }
      published.publish(taken);
      failed = false;
    } catch (InterruptException closing) {
      throw closing;
    } catch (RuntimeException e) {
      failures.increment();
      failed = true;
      retryAt = System.nanoTime() + RETRY_AFTER.toNanos();
      log.error("predicates={} state=FAILED retry={}", active.size(), RETRY_AFTER, e);
    }
  }

  /** Changes of the predicates that failed at first. */
  long failures() {
    return failures.sum();
  }

  /** Versions whose text could not be read. */
  long refused() {
    return refused.sum();
  }
}
