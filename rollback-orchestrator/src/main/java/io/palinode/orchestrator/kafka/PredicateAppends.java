package io.palinode.orchestrator.kafka;

import io.palinode.orchestrator.policy.Policy;
import io.palinode.orchestrator.policy.PredicateNeeds;
import io.palinode.orchestrator.rest.UnavailableException;
import io.palinode.predicate.text.PredicateException;
import io.palinode.wire.v1.PredicateRecord;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.jspecify.annotations.Nullable;

/**
 * Appends records to the predicates log and waits until each is read back. One thread appends,
 * another one reads.
 */
final class PredicateAppends {
  private static final Duration READ_MAX = Duration.ofSeconds(10);

  private final Producer<byte[], byte[]> producer;
  private final String topic;
  private final Map<String, Append> unread = new HashMap<>();

  PredicateAppends(Producer<byte[], byte[]> producer, String topic) {
    this.producer = producer;
    this.topic = topic;
  }

  /** A record to append. The appending thread reads the result once {@link #append} returns. */
  static final class Append {
    private final PredicateRecord record;
    private final Policy policy;
    private final PredicateNeeds needs;
    private final CompletableFuture<Void> sent = new CompletableFuture<>();
    private boolean read;
    private boolean counted;
    private @Nullable RuntimeException failure;
    private boolean unknown;

    Append(PredicateRecord record, Policy policy, PredicateNeeds needs) {
      this.record = record;
      this.policy = policy;
      this.needs = needs;
    }

    Policy policy() {
      return policy;
    }

    PredicateNeeds needs() {
      return needs;
    }

    /** Null: the record is in force. */
    @Nullable RuntimeException failure() {
      return failure;
    }

    /** True if the record failed and may yet come into force. */
    boolean isUnknown() {
      return unknown;
    }

    private void fail(RuntimeException reason) {
      failure = reason;
    }

    private void leaveUnknown(String reason, @Nullable Throwable cause) {
      failure = new UnavailableException(reason, cause);
      unknown = true;
    }

    private String what() {
      return "predicate '" + record.getName() + "' version " + record.getVersion();
    }
  }

  /**
   * Sends all records, of different names, then waits for them together. After a record that the
   * producer refuses at once, sends no further one.
   */
  void append(List<Append> all) {
    synchronized (this) {
      all.forEach(one -> unread.put(one.record.getName(), one));
    }
    try {
      sendAll(all);
      for (Append one : all) {
        awaitSent(one);
      }
      awaitRead(all);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      all.stream()
          .filter(one -> one.failure == null)
          .forEach(one -> one.leaveUnknown(one.what() + ": interrupted", e));
    } finally {
      synchronized (this) {
        unread.clear();
      }
    }
  }

  private void sendAll(List<Append> all) {
    boolean refused = false;
    for (Append one : all) {
      if (refused) {
        one.fail(new UnavailableException(one.what() + " was not sent: an earlier one failed"));
      } else {
        send(one);
        refused = one.sent.isCompletedExceptionally();
      }
    }
  }

  private void send(Append one) {
    byte[] key = one.record.getName().getBytes(StandardCharsets.UTF_8);
    try {
      var unused =
          producer.send(
              new ProducerRecord<>(topic, 0, key, one.record.toByteArray()),
              (sent, failure) -> {
                if (failure == null) {
                  one.sent.complete(null);
                } else {
                  one.sent.completeExceptionally(failure);
                }
              });
    } catch (KafkaException e) {
      one.sent.completeExceptionally(e);
    }
  }

  private static void awaitSent(Append one) throws InterruptedException {
    if (one.failure != null) {
      return;
    }
    try {
      // No limit here: the producer's delivery time ends the wait.
      one.sent.get();
    } catch (ExecutionException e) {
      fail(one, e.getCause() == null ? e : e.getCause());
    }
  }

  private static void fail(Append one, Throwable failure) {
    String reason = AppendFailures.reason(failure);
    switch (AppendFailures.of(failure)) {
      case UNWRITABLE ->
          one.fail(
              new PredicateException(
                  "%s cannot be written to Kafka: %s".formatted(one.what(), reason)));
      case REFUSED ->
          one.fail(
              new UnavailableException(
                  "Kafka does not let the orchestrator write %s (%s): grant it, then apply it again"
                      .formatted(one.what(), reason),
                  failure));
      case TRANSIENT ->
          one.leaveUnknown(
              "it is not known whether %s is in force, Kafka did not acknowledge it (%s): see 'palinode get predicates' when Kafka answers, then apply it again, which changes nothing if it is"
                  .formatted(one.what(), reason),
              failure);
    }
  }

  private synchronized void awaitRead(List<Append> all) throws InterruptedException {
    long deadline = System.nanoTime() + READ_MAX.toNanos();
    for (Append one : all) {
      if (one.failure == null) {
        awaitRead(one, deadline);
      }
    }
  }

  private synchronized void awaitRead(Append one, long deadline) throws InterruptedException {
    while (!one.read) {
      long leftMs = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
      if (leftMs <= 0) {
        one.leaveUnknown(
            one.what()
                + " is written, and it is not known whether it is in force, for it was not read"
                + " back in time: see 'palinode get predicates'",
            null);
        return;
      }
      wait(leftMs);
    }
    if (!one.counted) {
      // The first record of a version counts, and another orchestrator wrote that.
      one.fail(
          new UnavailableException(
              one.what()
                  + " was changed by another orchestrator at the same time; look, and try again"));
    }
  }

  /** The append of a record that is being appended here; null for another record. */
  synchronized @Nullable Append of(PredicateRecord record) {
    Append mine = unread.get(record.getName());
    return mine != null && mine.record.equals(record) ? mine : null;
  }

  /**
   * Call for each record of the log.
   *
   * @param counts whether the record is the one of its version that is in force
   */
  synchronized void read(PredicateRecord record, boolean counts) {
    Append mine = unread.get(record.getName());
    if (mine != null && !mine.read && mine.record.equals(record)) {
      mine.read = true;
      mine.counted = counts;
      notifyAll();
    }
  }
}
