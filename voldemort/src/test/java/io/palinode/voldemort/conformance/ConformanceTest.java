package io.palinode.voldemort.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.palinode.voldemort.StoreNodeConfig;
import io.palinode.voldemort.TestNodes;
import io.palinode.voldemort.cluster.Cluster;
import io.palinode.voldemort.cluster.StoreDefinition.Persistence;
import io.palinode.voldemort.conformance.Case.Asked;
import io.palinode.voldemort.conformance.Case.Scope;
import io.palinode.voldemort.conformance.Case.Step;
import io.palinode.voldemort.server.StoreService;
import io.palinode.voldemort.server.StoreServiceConfig;
import io.palinode.voldemort.server.SystemMicros;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What programs written for Voldemort rely on, byte by byte, in each protocol. Against a node of
 * ours, or, with {@code -Dvoldemort.address=HOST:PORT} and {@code -Dvoldemort.store=NAME}, against
 * any node ({@code -Dvoldemort.routes=true}: it routes requests); what is known to be otherwise at
 * stock nodes is then left out, unless {@code -Dvoldemort.all=true}. Keys of that store are
 * written; each run has its own.
 */
@TestInstance(Lifecycle.PER_CLASS)
class ConformanceTest {
  private static final int PATIENCE_MS = 10_000;
  private static final int PATIENCE_ELSEWHERE_MS = 3_000;

  private static final @Nullable String ADDRESS = System.getProperty("voldemort.address");

  private static final int NODES = 3;

  private final List<StoreService> services = new ArrayList<>();
  private Target target;

  @BeforeAll
  void connect(@TempDir Path data) throws IOException {
    String run = UUID.randomUUID().toString().substring(0, 8);
    String store = System.getProperty("voldemort.store", TestNodes.EVERYWHERE);
    if (ADDRESS == null) {
      start(data);
      InetSocketAddress address =
          new InetSocketAddress(InetAddress.getLoopbackAddress(), services.get(0).port());
      target = Target.of(address, store, run, true, PATIENCE_MS);
    } else {
      int colon = ADDRESS.lastIndexOf(':');
      InetAddress host = InetAddress.getAllByName(ADDRESS.substring(0, colon))[0];
      int port = Integer.parseInt(ADDRESS.substring(colon + 1));
      InetSocketAddress address = new InetSocketAddress(host, port);
      boolean routes = Boolean.getBoolean("voldemort.routes");
      target = Target.of(address, store, run, routes, PATIENCE_ELSEWHERE_MS);
    }
  }

  private void start(Path data) throws IOException {
    Cluster cluster = TestNodes.listening(NODES);
    for (int id = 0; id < NODES; id++) {
      StoreNodeConfig config =
          StoreNodeConfig.of(id, cluster, TestNodes.stores(NODES, Persistence.BDB));
      StoreService service =
          StoreService.open(StoreServiceConfig.of(config, data), new SystemMicros());
      services.add(service);
      service.start();
    }
  }

  @AfterAll
  void stop() {
    services.forEach(StoreService::close);
  }

  Stream<Case> cases() {
    return Dialect.ALL.stream().flatMap(dialect -> Cases.of(dialect, target).stream());
  }

  @ParameterizedTest
  @MethodSource("cases")
  void anExchangeIsWhatItShouldBe(Case one) throws IOException {
    assumeIsRightOfTheTarget(one.scope());
    Dialect dialect = one.dialect();
    try (Wire wire = new Wire(target.address(), target.patienceMs())) {
      assertThat(wire.agree(dialect.protocol())).isEqualTo(Wire.ACCEPTED);
      boolean goesOn = true;
      for (Step step : one.steps()) {
        send(wire, step);
        for (Asked asked : step.asked()) {
          Answer answer = wire.read(dialect, asked.op());
          assertThat(answer)
              .as("expected: %s", asked.expected().text())
              .matches(asked.expected().accepts());
          goesOn = !(answer instanceof Answer.Closed);
        }
      }
      if (goesOn) {
        assertNothingFollows(wire, dialect);
      }
    }
  }

  private static void send(Wire wire, Step step) throws IOException {
    if (step.inPieces()) {
      wire.sendByteByByte(step.bytes());
    } else {
      wire.send(step.bytes());
    }
  }

  /** The connection continues, with the next answer directly after the last. */
  private static void assertNothingFollows(Wire wire, Dialect dialect) throws IOException {
    Call probe = new Call(Call.Op.GET, "metadata", "server.state");
    wire.send(dialect.request(probe));
    assertThat(wire.read(dialect, probe.op()))
        .matches(Expected.oneVersionWith("NORMAL_SERVER").accepts());
  }

  @ParameterizedTest
  @ValueSource(strings = {"vp0", "vp1", "vp2", "vp3", "pb0"})
  void aProtocolThatVoldemortHasIsSpoken(String protocol) throws IOException {
    try (Wire wire = new Wire(target.address(), target.patienceMs())) {
      assertThat(wire.agree(protocol)).isEqualTo(Wire.ACCEPTED);
    }
  }

  /** A stock node closes the connection without a word. */
  @ParameterizedTest
  @ValueSource(strings = {"vp4", "pb1", "ad1", "xyz", "\u0000\u0000\u0000"})
  void anotherProtocolIsRefused(String protocol) throws IOException {
    try (Wire wire = new Wire(target.address(), target.patienceMs())) {
      assertThat(wire.agree(protocol)).isIn("no", "");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"vp1", "pb0"})
  void theNameOfAProtocolMayComeInPieces(String protocol) throws IOException {
    assumeIsRightOfTheTarget(Scope.OURS);
    try (Wire wire = new Wire(target.address(), target.patienceMs())) {
      wire.send(Dialect.bytes(protocol.substring(0, 1)));
      assertThat(wire.agree(protocol.substring(1))).isEqualTo(Wire.ACCEPTED);
    }
  }

  private static void assumeIsRightOfTheTarget(Scope scope) {
    assumeTrue(
        scope == Scope.ALL || ADDRESS == null || Boolean.getBoolean("voldemort.all"),
        "a stock node does otherwise");
  }
}
