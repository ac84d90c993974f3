package io.palinode.detector.kafka;

import com.google.protobuf.InvalidProtocolBufferException;
import io.palinode.detector.ActivePredicate;
import io.palinode.detector.LocalDetector;
import io.palinode.predicate.PredicateException;
import io.palinode.predicate.Predicates;
import io.palinode.wire.LogTail;
import io.palinode.wire.v1.PredicateRecord;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.LongAdder;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Keeps the detector's predicates as the predicates topic says. */
final class PredicateTail implements LogTail.Listener {
  private static final Logger log = LoggerFactory.getLogger(PredicateTail.class);

  private final LocalDetector detector;
  private final Map<String, ActivePredicate> active = new TreeMap<>();
  private final Map<String, Long> versions = new TreeMap<>();
  private final LongAdder refused = new LongAdder();
  private boolean changed;
  private boolean caughtUp;

  PredicateTail(LocalDetector detector) {
    this.detector = detector;
  }

  @Override
  public void onRecord(ConsumerRecord<byte[], byte[]> record) {
    // Compaction's own tombstones say nothing that a `deleted` before them did not say.
    if (record.value() == null) {
      return;
    }
    try {
      read(PredicateRecord.parseFrom(record.value()));
    } catch (InvalidProtocolBufferException e) {
      refused.increment();
      log.error("topic={} offset={} refused", record.topic(), record.offset(), e);
    }
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
              Predicates.parse(record.getYaml(), name + " version " + record.getVersion())));
      log.info("predicate={} version={} state=ACTIVE", name, record.getVersion());
    } catch (PredicateException e) {
      refused.increment();
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
    if (changed && caughtUp) {
      changed = false;
      detector.setPredicates(active.values());
    }
  }

  /** Records that could not be read. */
  long refused() {
    return refused.sum();
  }
}
