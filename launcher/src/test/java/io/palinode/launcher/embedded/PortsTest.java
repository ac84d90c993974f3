package io.palinode.launcher.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.HashSet;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

@EnabledOnOs(OS.LINUX)
class PortsTest {
  private static final InetAddress LOOPBACK = InetAddress.getLoopbackAddress();

  @Test
  void aHeldPortIsGivenToNoConnectionAndAServerListensOnIt() throws IOException {
    int port = Ports.free(1).get(0);
    try (Socket other = new Socket()) {
      other.setReuseAddress(false);
      assertThatThrownBy(() -> other.bind(new InetSocketAddress(LOOPBACK, port)))
          .isInstanceOf(BindException.class);
    }
    assertThat(Ports.isFree(port)).isTrue();
    try (ServerSocket server = new ServerSocket(port, 1, LOOPBACK);
        Socket client = new Socket(LOOPBACK, port)) {
      assertThat(server.accept().getPort()).isEqualTo(client.getLocalPort());
      assertThat(Ports.isFree(port)).isFalse();
    }
  }

  @Test
  void aPortIsHeldOnce() {
    List<Integer> ports = Ports.free(50);
    assertThat(new HashSet<>(ports)).hasSize(50);
    assertThatThrownBy(() -> Ports.holdAll(ports.subList(7, 8))).isInstanceOf(BindException.class);
  }
}
