package io.palinode.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.junit.jupiter.api.Test;

class KafkaSettingsTest {
  @Test
  void aProducerIsIdempotentAndDoesNotLinger() {
    ProducerConfig config = new ProducerConfig(KafkaSettings.of("localhost:1").producer("p"));
    assertThat(config.getBoolean(ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG)).isTrue();
    assertThat(config.getString(ProducerConfig.ACKS_CONFIG)).isIn("all", "-1");
    assertThat(config.getLong(ProducerConfig.LINGER_MS_CONFIG)).isZero();
  }

  @Test
  void aConsumerIsAnsweredAtTheFirstByteAndCommitsNothing() {
    ConsumerConfig config = new ConsumerConfig(KafkaSettings.of("localhost:1").consumer("c"));
    assertThat(config.getInt(ConsumerConfig.FETCH_MIN_BYTES_CONFIG)).isEqualTo(1);
    assertThat(config.getBoolean(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG)).isFalse();
  }

  @Test
  void badSettingsAreRefusedWithTheRuleAndTheValue() {
    assertThatThrownBy(() -> KafkaSettings.of(" ")).hasMessageContaining("host:port");
    assertThatThrownBy(() -> KafkaSettings.of("h:1").withLingerMs(-1))
        .hasMessageContaining("[0, 1000]: lingerMs=-1");
  }
}
