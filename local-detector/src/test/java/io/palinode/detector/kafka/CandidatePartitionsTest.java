package io.palinode.detector.kafka;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import org.apache.kafka.clients.producer.internals.BuiltInPartitioner;
import org.junit.jupiter.api.Test;

class CandidatePartitionsTest {
  @Test
  void anInstanceGoesWhereKafkasOwnPartitionerPutsItsKey() {
    for (int count = 1; count <= 16; count++) {
      for (int i = 0; i < 200; i++) {
        String instance = "edge-mutex|a=" + i + ",b=é";
        assertThat(new CandidatePartitions(count).applyAsInt(instance))
            .isEqualTo(BuiltInPartitioner.partitionForKey(instance.getBytes(UTF_8), count));
      }
    }
  }
}
