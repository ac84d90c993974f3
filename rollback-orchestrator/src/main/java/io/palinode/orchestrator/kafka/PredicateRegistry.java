package io.palinode.orchestrator.kafka;

import io.palinode.orchestrator.policy.AppliedPredicate;
import io.palinode.orchestrator.policy.Policy;
import io.palinode.orchestrator.policy.PredicateTexts;
import io.palinode.orchestrator.rest.UnavailableException;
import io.palinode.predicate.Predicate;
import io.palinode.predicate.PredicateLimits;
import io.palinode.predicate.form.Predicates;
import io.palinode.predicate.text.PredicateException;
import io.palinode.wire.v1.PredicateRecord;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The predicates of the predicates log. Thread-safe. A change is appended and counts once it is
 * read back.
 */
final class PredicateRegistry {
  private static final Logger log = LoggerFactory.getLogger(PredicateRegistry.class);
  private static final Duration READ_MAX = Duration.ofSeconds(10);
  private static final Duration TURN_MAX = Duration.ofSeconds(5);

  /** Kafka's default limit of a record, less room for its envelope. */
  static final int RECORD_BYTES_MAX = (1 << 20) - 1_024;

  private final Producer<byte[], byte[]> producer;
  private final String topic;
  private final Object lock = new Object();
  private final ReentrantLock writing = new ReentrantLock();
  private final Map<String, Known> known = new TreeMap<>();
  private final List<Written> written = new ArrayList<>();
  private final PredicateTexts texts;
  private final LongSupplier wallMicros;
  private final PredicateLimits limits;

  /**
   * @param texts learns every version that is read
   * @param limits of applied predicates
   */
  PredicateRegistry(
      Producer<byte[], byte[]> producer,
      String topic,
      PredicateTexts texts,
      PredicateLimits limits,
      LongSupplier wallMicros) {
    this.wallMicros = wallMicros;
    this.limits = limits;
    this.producer = producer;
    this.topic = topic;
    this.texts = texts;
  }

  private record Known(long version, boolean deleted, String yaml, Policy policy) {
    boolean isOf(PredicateRecord record) {
      return version == record.getVersion()
          && deleted == record.getDeleted()
          && yaml.equals(record.getYaml());
    }
  }

  /** A record that was written and not read back. Guarded by the registry's lock. */
  private static final class Written {
    private final PredicateRecord record;
    private final Policy policy;
    private boolean read;
    private boolean counted;

    Written(PredicateRecord record, Policy policy) {
      this.record = record;
      this.policy = policy;
    }
  }

  /** A checked change; null record: already in force. */
  private record Checked(AppliedPredicate applied, @Nullable Written written) {}

  /** Reads a record of the log; returns its policy, or null for an old version. */
  @Nullable Policy read(PredicateRecord record) {
    Policy policy = policyOf(record);
    texts.learn(record.getName(), record.getVersion(), record.getYaml());
    synchronized (lock) {
      Known before = known.get(record.getName());
      boolean isOld = before != null && before.version() >= record.getVersion();
      noteRead(record, before == null || !isOld || before.isOf(record));
      if (isOld) {
        return null;
      }
      known.put(
          record.getName(),
          new Known(record.getVersion(), record.getDeleted(), record.getYaml(), policy));
      lock.notifyAll();
    }
    log.info(
        "predicate={} version={} deleted={}",
        record.getName(),
        record.getVersion(),
        record.getDeleted());
    return policy;
  }

  /** The parsed predicate. Parsing a large one takes seconds, so one applied here is reused. */
  private Policy policyOf(PredicateRecord record) {
    synchronized (lock) {
      for (Written mine : written) {
        if (mine.record.equals(record)) {
          return mine.policy;
        }
      }
    }
    return policy(record);
  }

  private void noteRead(PredicateRecord record, boolean counts) {
    for (Written mine : written) {
      if (!mine.read && mine.record.equals(record)) {
        mine.read = true;
        mine.counted = counts;
        lock.notifyAll();
      }
    }
  }

  /** The policies of all predicates, with deleted ones. */
  Map<String, Policy> policies() {
    synchronized (lock) {
      Map<String, Policy> policies = new HashMap<>();
      known.forEach((name, k) -> policies.put(name, k.policy()));
      return policies;
    }
  }

  /** The predicates in force; the key is the name. */
  List<AppliedPredicate> all() {
    synchronized (lock) {
      List<AppliedPredicate> all = new ArrayList<>();
      known.forEach(
          (name, k) -> {
            if (!k.deleted()) {
              all.add(new AppliedPredicate(name, k.version(), k.yaml()));
            }
          });
      return all;
    }
  }

  @Nullable AppliedPredicate get(String name) {
    Known k = knownOf(name);
    return k == null || k.deleted() ? null : new AppliedPredicate(name, k.version(), k.yaml());
  }

  /** See {@link io.palinode.orchestrator.rest.Backend#apply}. Predicates in force stay. */
  List<AppliedPredicate> apply(String document, String source) {
    return write(Predicates.parseAll(document, source, limits));
  }

  /** See {@link io.palinode.orchestrator.rest.Backend#applyOne}. */
  AppliedPredicate applyOne(String document, String name) {
    Predicate predicate = Predicates.parse(document, name, limits);
    if (!predicate.name().equals(name)) {
      throw new PredicateException(
          "the document must hold the predicate of the path '%s': '%s'"
              .formatted(name, predicate.name()));
    }
    return write(List.of(predicate)).get(0);
  }

  /** Checks all predicates before the first is written. */
  private List<AppliedPredicate> write(List<Predicate> predicates) {
    lockForWriting();
    try {
      List<Checked> all = predicates.stream().map(this::checked).toList();
      List<AppliedPredicate> applied = new ArrayList<>();
      for (Checked one : all) {
        write(one, applied);
        applied.add(one.applied());
      }
      return applied;
    } finally {
      writing.unlock();
    }
  }

  private void write(Checked one, List<AppliedPredicate> before) {
    Written mine = one.written();
    if (mine == null) {
      return;
    }
    try {
      write(mine);
    } catch (UnavailableException e) {
      throw before.isEmpty()
          ? e
          : new UnavailableException(
              "%s; in force already: %s"
                  .formatted(e.getMessage(), before.stream().map(AppliedPredicate::name).toList()),
              e);
    }
  }

  /** Applies one predicate at a time: the next version follows from the last one read back. */
  private void lockForWriting() {
    try {
      if (!writing.tryLock(TURN_MAX.toMillis(), TimeUnit.MILLISECONDS)) {
        throw new UnavailableException(
            "another predicate is being written, and Kafka has not acknowledged it: nothing has"
                + " changed; apply it again");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new UnavailableException("interrupted before anything was written", e);
    }
  }

  /** See {@link io.palinode.orchestrator.rest.Backend#delete}. */
  boolean delete(String name) {
    lockForWriting();
    try {
      Known k = knownOf(name);
      if (k == null || k.deleted()) {
        return false;
      }
      long version = k.version() + 1;
      PredicateRecord record =
          PredicateRecord.newBuilder().setName(name).setVersion(version).setDeleted(true).build();
      write(new Written(record, Policy.deleted(name, version)));
      return true;
    } finally {
      writing.unlock();
    }
  }

  private Checked checked(Predicate predicate) {
    String name = predicate.name();
    String yaml = Predicates.toYaml(predicate);
    Known k = knownOf(name);
    if (k != null && !k.deleted() && k.yaml().equals(yaml)) {
      return new Checked(new AppliedPredicate(name, k.version(), yaml), null);
    }
    long version = k == null ? 1 : k.version() + 1;
    Policy policy = Policy.of(predicate, version);
    PredicateRecord record =
        PredicateRecord.newBuilder()
            .setName(name)
            .setVersion(version)
            .setYaml(yaml)
            .setAppliedAtMicros(wallMicros.getAsLong())
            .setRollbackSinceVersion(policy.rollsBackSince(k == null ? null : k.policy()))
            .build();
    requireFits(record);
    Policy asRead =
        policy
            .appliedAt(record.getAppliedAtMicros())
            .rollingBackSince(record.getRollbackSinceVersion());
    return new Checked(new AppliedPredicate(name, version, yaml), new Written(record, asRead));
  }

  private static void requireFits(PredicateRecord record) {
    int bytes = record.getSerializedSize();
    if (bytes > RECORD_BYTES_MAX) {
      throw new PredicateException(
          "a predicate must take at most %d bytes in its full form, which is one record in Kafka: %s takes %d; split it into several predicates"
              .formatted(RECORD_BYTES_MAX, record.getName(), bytes));
    }
  }

  private void write(Written mine) {
    PredicateRecord record = mine.record;
    byte[] key = record.getName().getBytes(StandardCharsets.UTF_8);
    String what = "predicate '" + record.getName() + "' version " + record.getVersion();
    synchronized (lock) {
      written.add(mine);
    }
    try {
      // No limit here: the producer's delivery time ends the wait.
      var unused = producer.send(new ProducerRecord<>(topic, 0, key, record.toByteArray())).get();
      awaitRead(mine, what);
    } catch (ExecutionException e) {
      throw refusal(what, e.getCause() == null ? e : e.getCause());
    } catch (KafkaException e) {
      throw refusal(what, e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new UnavailableException(what + ": interrupted", e);
    } finally {
      synchronized (lock) {
        written.remove(mine);
      }
    }
  }

  private static RuntimeException refusal(String what, Throwable failure) {
    String reason = AppendFailures.reason(failure);
    return switch (AppendFailures.of(failure)) {
      case UNWRITABLE ->
          new PredicateException("%s cannot be written to Kafka: %s".formatted(what, reason));
      case REFUSED ->
          new UnavailableException(
              "Kafka does not let the orchestrator write %s (%s): grant it, then apply it again"
                  .formatted(what, reason),
              failure);
      case TRANSIENT ->
          new UnavailableException(
              "it is not known whether %s is in force, Kafka did not acknowledge it (%s): see 'palinode get predicates' when Kafka answers, then apply it again, which changes nothing if it is"
                  .formatted(what, reason),
              failure);
    };
  }

  private void awaitRead(Written mine, String what) throws InterruptedException {
    long deadline = System.nanoTime() + READ_MAX.toNanos();
    synchronized (lock) {
      while (!mine.read) {
        long leftMs = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
        if (leftMs <= 0) {
          throw new UnavailableException(
              what
                  + " is written, and it is not known whether it is in force, for it was not read"
                  + " back in time: see 'palinode get predicates'");
        }
        lock.wait(leftMs);
      }
      if (!mine.counted) {
        // Another orchestrator wrote at the same time. The first record of a version
        // counts.
        throw new UnavailableException(
            what + " was changed by another orchestrator at the same time; look, and try again");
      }
    }
  }

  private @Nullable Known knownOf(String name) {
    synchronized (lock) {
      return known.get(name);
    }
  }

  /** A predicate that cannot be read here is not watched by any part, so it has no effect. */
  private static Policy policy(PredicateRecord record) {
    if (record.getDeleted()) {
      return Policy.deleted(record.getName(), record.getVersion());
    }
    try {
      Predicate predicate =
          Predicates.parse(
              record.getYaml(),
              record.getName() + " version " + record.getVersion(),
              PredicateLimits.CEILING);
      return Policy.of(predicate, record.getVersion())
          .appliedAt(record.getAppliedAtMicros())
          .rollingBackSince(record.getRollbackSinceVersion());
    } catch (PredicateException e) {
      log.error(
          "predicate={} version={} unreadable: {}",
          record.getName(),
          record.getVersion(),
          e.getMessage());
      return Policy.deleted(record.getName(), record.getVersion());
    }
  }
}
