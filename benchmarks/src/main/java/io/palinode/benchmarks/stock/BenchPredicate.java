package io.palinode.benchmarks.stock;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.palinode.benchmarks.StoreLoad;
import io.palinode.wire.KafkaSettings;
import io.palinode.wire.Topics;
import io.palinode.wire.v1.PredicateRecord;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;

/**
 * A predicate over the keys of {@link StoreLoad} that end in 0. Whatever these are set to makes its
 * term true, so each write of one ends an interval and begins another. For one thread.
 */
public final class BenchPredicate implements AutoCloseable {
  public static final String NAME = "bench-agent";

  private static final String YAML =
      """
      apiVersion: palinode.io/v1
      kind: Predicate
      metadata: {name: bench-agent}
      spec:
        forEach: {key: "{k}"}
        violation:
          - all:
              - {var: "%1$skey-{k}0%2$s", equals: "%3$s"}
              - {var: "%1$sother-{k}0%2$s", equals: "1"}
      """;

  private final Producer<byte[], byte[]> producer;
  private final String yaml;
  private long versions;
  private boolean set;

  BenchPredicate(String kafka, int valueBytes) {
    this(kafka, "", "", valueBytes);
  }

  /**
   * @param kafka {@code host:port}; the topics are there
   * @param before what the store's names of keys begin with
   * @param after what they end with
   */
  public BenchPredicate(String kafka, String before, String after, int valueBytes) {
    producer = KafkaSettings.of(kafka).newProducer("bench-predicates");
    yaml = YAML.formatted(before, after, StoreLoad.value(valueBytes));
  }

  /** The version that was written last; 0: none. */
  public long version() {
    return versions;
  }

  /** Adds it, or takes it away. */
  public void set(boolean on) throws InterruptedException, ExecutionException {
    if (on == set) {
      return;
    }
    set = on;
    PredicateRecord.Builder record =
        PredicateRecord.newBuilder().setName(NAME).setVersion(++versions);
    byte[] bytes = (on ? record.setYaml(yaml) : record.setDeleted(true)).build().toByteArray();
    Object unused =
        producer
            .send(new ProducerRecord<>(Topics.DEFAULT.predicates(), 0, NAME.getBytes(UTF_8), bytes))
            .get();
  }

  @Override
  public void close() {
    producer.close();
  }
}
