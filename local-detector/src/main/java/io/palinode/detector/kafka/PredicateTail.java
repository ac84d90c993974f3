package io.palinode.detector.kafka;

import io.palinode.detector.ActivePredicate;
import io.palinode.detector.LocalDetector;
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
import org.apache.kafka.common.errors.InterruptException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Keeps the detector's predicates as the predicates topic says; what failed is done again. */
final class PredicateTail implements LogTail.Listener {
  private static final Logger log = LoggerFactory.getLogger(PredicateTail.class);
  private static final Duration RETRY_AFTER = Duration.ofSeconds(1);

  private final RecordReader<PredicateRecord> reader;
  private final LocalDetector detector;
  private final Map<String, ActivePredicate> active = new TreeMap<>();
  private final Map<String, Long> versions = new TreeMap<>();

  /** Those of them that could be read; a deleted one too. */
  private final Map<String, Long> taken = new TreeMap<>();

  private final LongAdder refused = new LongAdder();
  private final LongAdder failures = new LongAdder();
  private final WatchedVersions told;
  private boolean changed;
  private boolean caughtUp;
  private boolean failed;
  private long retryAt;
  private long lookAt = System.nanoTime();

  /** {@code told} is what the log is told of versions that the detector has taken up. */
  PredicateTail(
      RecordReader<PredicateRecord> reader, LocalDetector detector, WatchedVersions told) {
    this.reader = reader;
    this.detector = detector;
    this.told = told;
  }

  @Override
  public void onRecord(ConsumerRecord<byte[], byte[]> record) {
    reader.read(record, this::read);
  }

  private void read(PredicateRecord record) {
    String name = record.getName();
    if (record.getVersion() <= versions.getOrDefault(name, 0L)) {
      return;
    }
    versions.put(name, record.getVersion());
    changed = true;
    // Whatever the new version is, the one before is no longer in force.
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

  /** All that came together costs one index, and one scan of the store. */
  @Override
  public void onPolled() {
    boolean isDue = !failed || System.nanoTime() - retryAt >= 0;
    if ((changed || !told.has(taken)) && caughtUp && isDue) {
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
   * The one place that takes any exception: what a store can throw is not known here, and a scan
   * that failed once must not leave the node with these predicates for good.
   */
  private void apply() {
    try {
      if (changed) {
        detector.setPredicates(active.values());
        changed = false;
      }
      told.tell(taken);
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

  /** Changes of the predicates that the detector could not take up at once. */
  long failures() {
    return failures.sum();
  }

  /** Versions whose text could not be read. */
  long refused() {
    return refused.sum();
  }
}
