package io.palinode.cli.cassandra;

import static org.awaitility.Awaitility.await;

import com.datastax.oss.driver.api.core.ConsistencyLevel;
import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.cql.ResultSet;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import com.datastax.oss.driver.api.core.metadata.Node;
import io.palinode.cli.PlaneSteps;
import io.palinode.hvc.Epsilon;
import io.palinode.hvc.Hlc;
import io.palinode.launcher.ControlPlane;
import io.palinode.launcher.embedded.Ports;
import io.palinode.predicate.Predicate;
import io.palinode.predicate.form.Predicates;
import io.palinode.terminal.ApiClient;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Function;
import java.util.stream.IntStream;

/**
 * Three stock servers that hold each row, keep hints and can be rolled back, with Kafka, the job
 * and the orchestrator.
 */
final class CassandraCluster implements AutoCloseable {
  static final int NODES = 3;
  static final Duration BOUND = Duration.ofMinutes(2);

  private final List<CassandraServer> servers = new ArrayList<>();
  private final long[] incarnations = {1, 1, 1};
  private final ControlPlane plane;
  private final CqlSession session;
  private final List<Node> coordinators;

  /**
   * @param keyspace of three replicas, which is created
   * @param tables statements that create its tables
   */
  CassandraCluster(Path folder, String keyspace, List<String> tables) throws IOException {
    plane =
        ControlPlane.start(
            folder.resolve("control"),
            NODES,
            Epsilon.parse("10ms"),
            ControlPlane.Ports.FREE,
            alert -> {});
    List<Integer> ports = Ports.free(2);
    CassandraServer.Cluster cluster =
        new CassandraServer.Cluster(
            List.of("127.0.0.1", "127.0.0.2", "127.0.0.3"),
            ports.get(0),
            ports.get(1),
            plane.kafkaAddress(),
            true,
            true);
    try {
      for (int node = 0; node < NODES; node++) {
        servers.add(CassandraServer.startHinting(cluster, node, folder.resolve("server-" + node)));
        // One at a time, as Cassandra asks.
        servers.get(node).connect().close();
      }
      session = servers.get(0).connect();
      coordinators =
          session.getMetadata().getNodes().values().stream()
              .sorted(Comparator.comparing(node -> node.getEndPoint().toString()))
              .toList();
      create(
          "CREATE KEYSPACE %s WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 3}"
              .formatted(keyspace));
      tables.forEach(this::create);
    } catch (IOException | RuntimeException e) {
      servers.forEach(CassandraServer::close);
      plane.close();
      throw e;
    }
    for (int node = 0; node < NODES; node++) {
      awaitJoined(node);
    }
  }

  /** Returns once all servers have it: one that has just started may lack the schema at first. */
  private void create(String statement) {
    session.execute(SimpleStatement.newInstance(statement).setNode(coordinators.get(0)));
    await().atMost(BOUND).until(session::checkSchemaAgreement);
  }

  private void awaitJoined(int node) {
    new PlaneSteps(plane).awaitJoined(node, incarnations[node]);
  }

  List<CassandraServer> servers() {
    return servers;
  }

  ControlPlane plane() {
    return plane;
  }

  CqlSession session() {
    return session;
  }

  /** Applies the predicates of a file; returns once all nodes watch them. */
  void apply(Path predicates) throws IOException {
    ApiClient api = ApiClient.at(plane.apiUrl());
    for (Predicate predicate : Predicates.readAll(predicates)) {
      plane.apply(predicate);
      String path = "/api/v1/predicates/" + predicate.name();
      await().atMost(BOUND).until(() -> api.get(path).path("converged").asBoolean());
    }
    long now = Hlc.ofMicros(Histories.nowMicros());
    await().atMost(BOUND).until(() -> plane.orchestrator().status().judged() >= now);
  }

  /** What is in the statement's table, as soon as all servers have the same themselves. */
  <T> T awaitSame(SimpleStatement select, Function<ResultSet, T> read) {
    return await()
        .atMost(BOUND)
        .until(
            () ->
                IntStream.range(0, NODES)
                    .mapToObj(node -> read.apply(session.execute(atOne(node, select))))
                    .toList(),
            all -> all.stream().distinct().count() == 1)
        .get(0);
  }

  /** With consistency ONE, a coordinator that is a replica reads its own rows. */
  SimpleStatement atOne(int node, SimpleStatement statement) {
    return statement.setConsistencyLevel(ConsistencyLevel.ONE).setNode(coordinators.get(node));
  }

  Node coordinator(int node) {
    return coordinators.get(node);
  }

  void kill(int node) throws InterruptedException {
    servers.get(node).kill();
  }

  /** Returns when its node has joined. */
  void startAgain(int node) throws IOException {
    servers.get(node).start();
    servers.get(node).connect().close();
    incarnations[node]++;
    awaitJoined(node);
  }

  @Override
  public void close() {
    servers.forEach(CassandraServer::close);
    session.close();
    plane.close();
  }
}
