package io.palinode.orchestrator.kafka;

import io.palinode.orchestrator.AppliedPredicate;
import io.palinode.orchestrator.Policy;
import io.palinode.orchestrator.PredicateTexts;
import io.palinode.orchestrator.rest.UnavailableException;
import io.palinode.predicate.Predicate;
import io.palinode.predicate.PredicateException;
import io.palinode.predicate.PredicateLimits;
import io.palinode.predicate.Predicates;
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
import java.util.concurrent.TimeoutException;
import java.util.function.LongSupplier;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The predicates, as the predicates log has them. A change is written to the log and counts when it
 * is read back. Thread-safe.
 */
final class PredicateRegistry {
  private static final Logger log = LoggerFactory.getLogger(PredicateRegistry.class);
  private static final Duration ANSWER_MAX = Duration.ofSeconds(10);

  private final Producer<byte[], byte[]> producer;
  private final String topic;
  private final Object lock = new Object();
  private final Object writing = new Object();
  private final Map<String, Known> known = new TreeMap<>();
  private final List<Written> written = new ArrayList<>();
  private final PredicateTexts texts;
  private final LongSupplier wallMicros;
  private final PredicateLimits limits;

  /**
   * {@code texts} learns every version that is read.
   *
   * @param limits of what is applied here
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

  /** A record that was written and is to be read back. Guarded by the registry's lock. */
  private static final class Written {
    private final PredicateRecord record;
    private boolean read;
    private boolean counted;

    Written(PredicateRecord record) {
      this.record = record;
    }
  }

  /** A record of the log; returns its policy, or null when it is of an old version. */
  @Nullable Policy read(PredicateRecord record) {
    Policy policy = policy(record);
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

  private void noteRead(PredicateRecord record, boolean counts) {
    for (Written mine : written) {
      if (!mine.read && mine.record.equals(record)) {
        mine.read = true;
        mine.counted = counts;
        lock.notifyAll();
      }
    }
  }

  /** Of all predicates, also of those that were deleted. */
  Map<String, Policy> policies() {
    synchronized (lock) {
      Map<String, Policy> policies = new HashMap<>();
      known.forEach((name, k) -> policies.put(name, k.policy()));
      return policies;
    }
  }

  /** Those in force, by name. */
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

  /** See {@link io.palinode.orchestrator.rest.Backend#apply}. What is in force already, stays. */
  List<AppliedPredicate> apply(String document, String source) {
    List<AppliedPredicate> applied = new ArrayList<>();
    List<Predicate> predicates = Predicates.parseAll(document, source, limits);
    synchronized (writing) {
      for (Predicate predicate : predicates) {
        applied.add(put(predicate));
      }
    }
    return applied;
  }

  /** As the nodes and the job read it. */
  private static String canonical(Predicate predicate) {
    String yaml = Predicates.toYaml(predicate);
    if (yaml.length() > Predicates.DOCUMENT_BYTES_MAX) {
      throw new PredicateException(
          "a predicate must have at most %d characters in its full form: %s has %d"
              .formatted(Predicates.DOCUMENT_BYTES_MAX, predicate.name(), yaml.length()));
    }
    return yaml;
  }

  /** See {@link io.palinode.orchestrator.rest.Backend#delete}. */
  boolean delete(String name) {
    synchronized (writing) {
      Known k = knownOf(name);
      if (k == null || k.deleted()) {
        return false;
      }
      write(
          PredicateRecord.newBuilder()
              .setName(name)
              .setVersion(k.version() + 1)
              .setDeleted(true)
              .build());
      return true;
    }
  }

  private AppliedPredicate put(Predicate predicate) {
    String name = predicate.name();
    String yaml = canonical(predicate);
    Known k = knownOf(name);
    if (k != null && !k.deleted() && k.yaml().equals(yaml)) {
      return new AppliedPredicate(name, k.version(), yaml);
    }
    long version = k == null ? 1 : k.version() + 1;
    Policy policy = Policy.of(predicate, version);
    write(
        PredicateRecord.newBuilder()
            .setName(name)
            .setVersion(version)
            .setYaml(yaml)
            .setAppliedAtMicros(wallMicros.getAsLong())
            .setRollbackSinceVersion(policy.rollsBackSince(k == null ? null : k.policy()))
            .build());
    return new AppliedPredicate(name, version, yaml);
  }

  private void write(PredicateRecord record) {
    byte[] key = record.getName().getBytes(StandardCharsets.UTF_8);
    String what = "predicate '" + record.getName() + "' version " + record.getVersion();
    Written mine = new Written(record);
    synchronized (lock) {
      written.add(mine);
    }
    try {
      producer
          .send(new ProducerRecord<>(topic, 0, key, record.toByteArray()))
          .get(ANSWER_MAX.toMillis(), TimeUnit.MILLISECONDS);
      awaitRead(mine, what);
    } catch (ExecutionException | TimeoutException | KafkaException e) {
      throw new UnavailableException(what + " could not be written to Kafka: " + e, e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new UnavailableException(what + ": interrupted", e);
    } finally {
      synchronized (lock) {
        written.remove(mine);
      }
    }
  }

  private void awaitRead(Written mine, String what) throws InterruptedException {
    long deadline = System.nanoTime() + ANSWER_MAX.toNanos();
    synchronized (lock) {
      while (!mine.read) {
        long leftMs = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
        if (leftMs <= 0) {
          throw new UnavailableException(what + " was written but is not read back in time");
        }
        lock.wait(leftMs);
      }
      if (!mine.counted) {
        // Another orchestrator wrote at the same moment, and of one version the first record
        // counts.
        throw new UnavailableException(
            what + " was changed by another at the same moment, which counts: look, and try again");
      }
    }
  }

  private @Nullable Known knownOf(String name) {
    synchronized (lock) {
      return known.get(name);
    }
  }

  /** What cannot be read here is not watched anywhere: nobody acts on it. */
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
