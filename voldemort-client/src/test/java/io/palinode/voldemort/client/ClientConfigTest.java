package io.palinode.voldemort.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ClientConfigTest {
  @ParameterizedTest
  @ValueSource(strings = {"node-0:6666", "tcp://node-0:6666"})
  void anAddressIsAHostAndAPortWithOrWithoutVoldemortsScheme(String address) {
    assertThat(ClientConfig.address(address).getHostString()).isEqualTo("node-0");
    assertThat(ClientConfig.address(address).getPort()).isEqualTo(6666);
  }

  @Test
  void anAddressWithoutAPortIsRefused() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> ClientConfig.address("tcp://node-0"))
        .withMessage("an address must be host:port: node-0");
  }

  @Test
  void anIdThatNodesRefuseIsRefusedBefore() {
    assertThat(ClientConfig.of(List.of("node-0:6666"), "c".repeat(255)).clientId()).hasSize(255);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> ClientConfig.of(List.of("node-0:6666"), "c".repeat(256)))
        .withMessageStartingWith("clientId must be at most 255 characters: length=256");
  }
}
