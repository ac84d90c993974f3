package io.palinode.launcher.embedded;

import io.palinode.wire.KafkaSettings;
import io.palinode.wire.Topics;
import io.palinode.wire.v1.PredicateRecord;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;

/** A predicate of two terms that must not hold together, for each binding of {@code a}. */
final class PairPredicate {
  private PairPredicate() {}

  static void send(KafkaSettings kafka, String name, long version, boolean deleted)
      throws ExecutionException, InterruptedException {
    String yaml =
        """
        apiVersion: palinode.io/v1
        kind: Predicate
        metadata: {name: %s}
        spec:
          replicas: any
          forEach: {case: "{a}"}
          violation:
            - all:
                - {var: "x_{a}", equals: "1"}
                - {var: "y_{a}", equals: "1"}
        """
            .formatted(name);
    PredicateRecord record =
        PredicateRecord.newBuilder()
            .setName(name)
            .setVersion(version)
            .setYaml(yaml)
            .setDeleted(deleted)
            .build();
    byte[] key = name.getBytes(StandardCharsets.UTF_8);
    try (Producer<byte[], byte[]> producer = kafka.newProducer("predicates")) {
      producer
          .send(new ProducerRecord<>(Topics.DEFAULT.predicates(), 0, key, record.toByteArray()))
          .get();
    }
  }
}
