package io.palinode.store.hosted;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.palinode.store.hosted.HostedConfig.Unjoined;
import io.palinode.wire.KafkaSecurity;
import io.palinode.wire.KafkaSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HostedConfigTest {
  @Test
  void whatIsNotSetHasADefault() {
    HostedConfig config = HostedConfig.parse("f", "kafka: a:1\ndata: /d\n");
    assertThat(config.joining().kafka()).isEqualTo(KafkaSettings.of("a:1"));
    assertThat(config.data()).isEqualTo(Path.of("/d"));
    assertThat(config.joining().unjoined()).isEqualTo(Unjoined.SERVE);
    assertThat(config.pace().busy()).isEqualTo(Duration.ofMillis(50));
    assertThat(config.joining().timeout()).isEqualTo(Duration.ofSeconds(60));
  }

  @Test
  void durationsAndBytesHaveUnits() {
    HostedConfig config =
        HostedConfig.parse(
            "f",
            "kafka: a:1\ndata: /d\nwindowLogAge: 2h\nwindowLogBytes: 64MiB\nunjoined: stop\nprogressEvery: 5ms\n");
    assertThat(config.pace().busy()).isEqualTo(Duration.ofMillis(5));
    assertThat(config.node().windowLog().ageMax()).isEqualTo(Duration.ofHours(2));
    assertThat(config.node().windowLog().bytesMax()).isEqualTo(64L << 20);
    assertThat(config.joining().unjoined()).isEqualTo(Unjoined.STOP);
  }

  @Test
  void theClientsOfKafkaReadTheirSecurityFromAFile(@TempDir Path folder) throws IOException {
    Path file = Files.writeString(folder.resolve("kafka.properties"), "security.protocol=SSL\n");
    HostedConfig config = HostedConfig.parse("f", "kafka: a:1\ndata: /d\nkafkaConfig: " + file);
    assertThat(config.joining().kafka().security())
        .isEqualTo(new KafkaSecurity(Map.of("security.protocol", "SSL")));
    assertThatThrownBy(
            () -> HostedConfig.parse("f", "kafka: a:1\ndata: /d\nkafkaConfig: " + file + "x"))
        .hasMessageContaining("'kafkaConfig'")
        .hasMessageContaining("there is no such file");
  }

  @Test
  void errorsNameTheFileTheKeyAndTheRule() {
    assertThatThrownBy(() -> HostedConfig.parse("f", "kafka: a:1\n"))
        .hasMessage("f: 'data' is needed");
    assertThatThrownBy(() -> HostedConfig.parse("f", "kafka: a\ndata: /d\nkafak: b\n"))
        .hasMessageContaining("f: unknown key 'kafak': the keys are kafka, kafkaConfig, data");
    assertThatThrownBy(() -> HostedConfig.parse("f", "kafka: a\ndata: /d\njoinTimeout: 5\n"))
        .hasMessageContaining("f: 'joinTimeout' cannot be read: 5")
        .hasMessageContaining("ms, s, m or h");
    assertThatThrownBy(() -> HostedConfig.parse("f", "kafka: a\ndata: /d\nprogressEvery: 1s\n"))
        .hasMessageContaining("f: 'progressEvery' cannot be read: 1s (a pace must be");
    assertThatThrownBy(() -> HostedConfig.parse("f", "kafka: [\n")).hasMessageStartingWith("f: ");
  }
}
