package io.palinode.agent.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.palinode.voldemort.protocol.Frames;
import java.net.UnknownHostException;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class ClientAgentConfigTest {
  @Test
  void whatIsNotSetHasADefault() {
    assertThat(ClientAgentConfig.parse("f", "pauseMax: 2s\n", "me"))
        .isEqualTo(new ClientAgentConfig("me", Duration.ofSeconds(2), ""));
    assertThat(ClientAgentConfig.parse("f", "client: shop\n", "me"))
        .isEqualTo(new ClientAgentConfig("shop", Duration.ofSeconds(30), ""));
  }

  @Test
  void aMachineWithoutANameLeavesTheProcessAsTheClientsName() {
    assertThat(ClientAgent.defaultName(7, () -> "shop")).isEqualTo("java-7@shop");
    assertThat(ClientAgent.defaultName(7, () -> "h".repeat(300))).hasSize(Frames.CLIENT_ID_MAX);
    ClientAgent.HostName none =
        () -> {
          throw new UnknownHostException("box");
        };
    assertThat(ClientAgent.defaultName(7, none)).isEqualTo("java-7");
  }

  @Test
  void errorsNameTheFileTheKeyAndTheRule() {
    assertThatThrownBy(() -> ClientAgentConfig.parse("f", "kafka: a\n", "me"))
        .hasMessageContaining("f: unknown key 'kafka': the keys are client, pauseMax");
    assertThatThrownBy(() -> ClientAgentConfig.parse("f", "pauseMax: 0s\n", "me"))
        .hasMessageContaining("pauseMax must be positive");
    String name = "c".repeat(Frames.CLIENT_ID_MAX);
    assertThat(ClientAgentConfig.defaults(name).client()).isEqualTo(name);
    assertThatThrownBy(() -> ClientAgentConfig.parse("f", "client: " + name + "c\n", "me"))
        .hasMessage("f: client must be at most 255 characters: length=256");
  }
}
