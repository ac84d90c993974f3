package io.palinode.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class KafkaSettingsTest {
  @Test
  void aProducerIsIdempotentDoesNotLingerAndHasOneRequestInFlight() {
    ProducerConfig config = new ProducerConfig(KafkaSettings.of("localhost:1").producer("p"));
    assertThat(config.getBoolean(ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG)).isTrue();
    assertThat(config.getString(ProducerConfig.ACKS_CONFIG)).isIn("all", "-1");
    assertThat(config.getLong(ProducerConfig.LINGER_MS_CONFIG)).isZero();
    assertThat(config.getInt(ProducerConfig.MAX_IN_FLIGHT_REQUESTS_PER_CONNECTION)).isOne();
  }

  @Test
  void aConsumerIsAnsweredAtTheFirstByteAndCommitsNothing() {
    ConsumerConfig config = new ConsumerConfig(KafkaSettings.of("localhost:1").consumer("c"));
    assertThat(config.getInt(ConsumerConfig.FETCH_MIN_BYTES_CONFIG)).isEqualTo(1);
    assertThat(config.getBoolean(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG)).isFalse();
  }

  @Test
  void everyClientHasThePropertiesOfSecurity(@TempDir Path folder) throws IOException {
    Path file =
        Files.writeString(
            folder.resolve("kafka.properties"),
            """
            # ours
            security.protocol = SASL_SSL
            sasl.mechanism=PLAIN
            ssl.key.password=secret
            """);
    KafkaSettings settings = KafkaSettings.of("h:1").withSecurity(KafkaSecurity.read(file));
    for (Map<String, Object> client :
        List.of(settings.producer("p"), settings.consumer("c"), settings.admin("a"))) {
      assertThat(client)
          .containsEntry("security.protocol", "SASL_SSL")
          .containsEntry("sasl.mechanism", "PLAIN")
          .containsEntry("ssl.key.password", "secret");
    }
    assertThat(settings.toString()).contains("ssl.key.password").doesNotContain("secret");
    assertThat(settings.withLingerMs(3).security()).isEqualTo(settings.security());
  }

  @Test
  void aFileOfOtherPropertiesIsRefusedByName(@TempDir Path folder) throws IOException {
    Path other = Files.writeString(folder.resolve("other.properties"), "acks=0\n");
    assertThatThrownBy(() -> KafkaSecurity.read(other))
        .hasMessage(
            other
                + ": a property must begin with security., sasl. or ssl., or be"
                + " palinode.decision.key or palinode.decision.keys: 'acks'");
    Path absent = folder.resolve("absent");
    assertThatThrownBy(() -> KafkaSecurity.read(absent))
        .hasMessage(absent + ": there is no such file");
    assertThatThrownBy(() -> KafkaSecurity.read(folder)).hasMessageStartingWith(folder + ": ");
    Path escape = Files.writeString(folder.resolve("escape"), "ssl.a=\\uZZZZ\n");
    assertThatThrownBy(() -> KafkaSecurity.read(escape)).hasMessageStartingWith(escape + ": ");
  }

  @Test
  void badSettingsAreRefusedWithTheRuleAndTheValue() {
    assertThatThrownBy(() -> KafkaSettings.of(" ")).hasMessageContaining("host:port");
    assertThatThrownBy(() -> KafkaSettings.of("h:1").withLingerMs(-1))
        .hasMessageContaining("[0, 1000]: lingerMs=-1");
  }
}
