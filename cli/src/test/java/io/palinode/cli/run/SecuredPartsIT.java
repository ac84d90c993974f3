package io.palinode.cli.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.palinode.cli.ListeningSocket;
import io.palinode.hvc.Hlc;
import io.palinode.launcher.StoreCluster;
import io.palinode.launcher.embedded.EmbeddedKafka;
import io.palinode.launcher.embedded.Ports;
import io.palinode.tls.ClientFiles;
import io.palinode.tls.ClientTls;
import io.palinode.wire.KafkaSecurity;
import io.palinode.wire.KafkaSettings;
import io.palinode.wire.Topics;
import io.palinode.wire.v1.ControlRecord;
import io.palinode.wire.v1.PlanOpened;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.acl.AccessControlEntry;
import org.apache.kafka.common.acl.AclBinding;
import org.apache.kafka.common.acl.AclPermissionType;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.apache.kafka.common.resource.PatternType;
import org.apache.kafka.common.resource.Resource;
import org.apache.kafka.common.resource.ResourcePattern;
import org.apache.kafka.common.resource.ResourceType;
import org.apache.kafka.common.utils.SecurityUtils;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/**
 * The parts as processes, with TLS and users on every socket, on a broker that asks for a password
 * and rights. Users run commands as processes, with a context.
 */
@Timeout(300)
class SecuredPartsIT {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Duration BOUND = Duration.ofSeconds(90);
  private static final Pattern ACL =
      Pattern.compile(
          "kafka-acls.sh --bootstrap-server \\S+ --command-config \\S+ --add"
              + " --allow-principal (\\S+) ((?:--operation \\S+ )+)--(topic|group|cluster)(?: (\\S+))?");

  @TempDir Path folder;
  private final List<Process> started = new ArrayList<>();

  @AfterEach
  void end() {
    started.forEach(process -> process.destroyForcibly().onExit().join());
  }

  @Test
  void thePartsWorkWithThePrintedRightsAndWithNoOthers() throws Exception {
    SecuredKafkaFiles files = new SecuredKafkaFiles(folder);
    files.makeCertificate();
    files.makeDecisionKeys();
    List<Integer> ports = Ports.free(5);
    int api = ports.get(0);
    int metrics = ports.get(1);
    List<Integer> stores = ports.subList(2, 3);
    int detectionMetrics = ports.get(3);
    int kafkaPort = ports.get(4);
    for (String role : List.of("viewer", "operator")) {
      Files.writeString(
          folder.resolve(role + ".token"),
          palinode(
              "viewer",
              0,
              "user",
              "add",
              role + "-user",
              "--role",
              role,
              "--file",
              users().toString()));
    }
    String unused =
        palinode(
            "viewer",
            0,
            "user",
            "add",
            "client",
            "--store",
            "read,write,replica",
            "--certificate-subject",
            "CN=client,O=Example",
            "--file",
            users().toString());
    Files.write(folder.resolve("copies"), new byte[32]);
    try (EmbeddedKafka kafka = EmbeddedKafka.start(folder.resolve("kafka"), 0, securedBroker())) {
      String broker = kafka.bootstrapServers();
      grant(broker);
      Process refused =
          orchestrator(broker, api, properties("palinode-orchestrator", "wrong"), log("refused"));
      assertThat(refused.waitFor(BOUND.toSeconds(), TimeUnit.SECONDS)).isTrue();
      assertThat(refused.exitValue()).isEqualTo(1);
      assertThat(Files.readString(log("refused")))
          .contains("palinode: --kafka=" + broker)
          .contains("Authentication failed");

      Path asOrchestrator = properties("palinode-orchestrator", "pw");
      Process orchestrator = orchestrator(broker, api, asOrchestrator, log("orchestrator"));
      awaitReady("orchestrator");
      aServerBeyondThisMachineNeedsUsers(broker, asOrchestrator);
      Process detection =
          run(
              "detection",
              properties("palinode-detection", "pw"),
              broker,
              secured(
                  "--nodes",
                  "1",
                  "--metrics-port",
                  Integer.toString(detectionMetrics),
                  "--data",
                  folder.toString()),
              log("detection"));
      Path cluster =
          Files.writeString(folder.resolve("cluster.xml"), StoreCluster.layout(stores).toXml());
      Path asNode = properties("palinode-node", "pw");
      List<String> node =
          new ArrayList<>(
              List.of("--id", "0", "--cluster", cluster.toString(), "--data", folder.toString()));
      node.addAll(
          List.of("--metrics-port", Integer.toString(metrics), "--metrics-host", "0.0.0.0"));
      node.addAll(secured());
      Process store = run("node", asNode, broker, node, log("node"));
      awaitReady("node");
      metricsNeedAUser("https://localhost:" + metrics + "/metrics");
      awaitReady("detection");
      if (OS.LINUX.isCurrentOs()) {
        listensAsDocumented("run orchestrator", orchestrator, List.of(api));
        listensAsDocumented("run detection", detection, List.of(detectionMetrics));
        listensAsDocumented("run node", store, List.of(stores.get(0), metrics));
        Process ownKafka = start(kafka(kafkaPort), log("kafka"));
        awaitReady("kafka");
        listensAsDocumented("run kafka", ownKafka, List.of(kafkaPort));
        ownKafka.destroyForcibly();
      }
      context("viewer", api, stores.get(0));
      context("operator", api, stores.get(0));
      aWriteIsJudgedAndUndone();
      Topics topics = Topics.DEFAULT;
      mayNotWrite(broker, asNode, topics.violations(), topics.predicates(), topics.audit());
      mayNotWrite(
          broker,
          properties("palinode-detection", "pw"),
          topics.control(),
          topics.predicates(),
          topics.candidates(),
          topics.audit());
      mayNotWrite(broker, asOrchestrator, topics.violations(), topics.candidates());
      aNodeMayNotOrderARollback(broker, asNode, "https://localhost:" + metrics + "/metrics");
    }
  }

  private void aServerBeyondThisMachineNeedsUsers(String broker, Path properties) throws Exception {
    Process refused =
        run(
            "orchestrator",
            properties,
            broker,
            List.of("--nodes", "1", "--host", "0.0.0.0"),
            log("open"));
    assertThat(refused.waitFor(BOUND.toSeconds(), TimeUnit.SECONDS)).isTrue();
    assertThat(refused.exitValue()).isEqualTo(2);
    assertThat(Files.readString(log("open"))).contains("allow it with --insecure");
  }

  private List<String> kafka(int port) {
    String data = folder.resolve("own-kafka").toString();
    return List.of("kafka", "--data", data, "--port", Integer.toString(port));
  }

  /** The rows of the part in the documentation are its sockets, and it has no others. */
  private static void listensAsDocumented(String part, Process process, List<Integer> named)
      throws IOException {
    List<String> rows =
        Files.readAllLines(Path.of("../docs/reference/configuration.md")).stream()
            .filter(line -> line.startsWith("| `" + part + "` |"))
            .toList();
    List<ListeningSocket> sockets = ListeningSocket.of(process);
    assertThat(sockets).as(part).hasSameSizeAs(rows);
    assertThat(sockets).as(part).extracting(ListeningSocket::port).containsAll(named);
    assertThat(sockets.stream().filter(socket -> !named.contains(socket.port())))
        .as("%s, documented as free ports of the loopback address", part)
        .allMatch(ListeningSocket::isLoopback)
        .hasSize((int) rows.stream().filter(row -> row.contains("| a free one |")).count());
  }

  private void metricsNeedAUser(String url) throws Exception {
    HttpRequest request = HttpRequest.newBuilder(URI.create(url)).build();
    assertThat(client().send(request, BodyHandlers.discarding()).statusCode()).isEqualTo(401);
    assertThat(scraped(url)).contains("palinode_");
  }

  private String scraped(String url) throws Exception {
    String token = Files.readString(folder.resolve("viewer.token")).strip();
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(url)).header("Authorization", "Bearer " + token).build();
    return client().send(request, BodyHandlers.ofString()).body();
  }

  private static HttpClient client() {
    return HttpClient.newBuilder()
        .sslContext(ClientTls.context(new ClientFiles(file("ca.pem"), null, null)))
        .build();
  }

  private void context(String role, int api, int store) throws Exception {
    String unused =
        palinode(
            role,
            0,
            "config",
            "set-context",
            "it",
            "--server=https://localhost:" + api,
            "--bootstrap=tls://localhost:" + store,
            "--ca=" + file("ca.pem"),
            "--certificate=" + file("client.pem"),
            "--key=" + file("client.key"),
            "--token-file=" + folder.resolve(role + ".token"));
  }

  private void aWriteIsJudgedAndUndone() throws Exception {
    Path file = folder.resolve("one.yaml");
    Files.writeString(
        file,
        """
        apiVersion: palinode.io/v1
        kind: Predicate
        metadata: {name: one}
        spec:
          violation:
            - all:
                - {var: "x", equals: "1"}
          onViolation: {rollback: none}
        """);
    assertThat(palinode("viewer", 2, "apply", "-f", file.toString()))
        .contains("needs the role editor: 'viewer-user' has the role viewer");
    palinode("operator", 0, "apply", "-f", file.toString());
    palinode("operator", 0, "put", "x", "1");
    assertThat(palinode("operator", 0, "alert", "test")).contains("kafka:alerts", "yes");
    await("the violation").atMost(BOUND).until(() -> violations().size() == 1);
    long violate = Hlc.parse(violations().get(0).path("violate").asText());
    String to = Hlc.format(violate - 1);
    assertThat(palinode("viewer", 2, "rollback", "run", "--to", to, "--yes"))
        .contains("needs the role operator");
    palinode("operator", 0, "rollback", "run", "--to", to, "--yes");
    assertThat(palinode("viewer", 0, "rollback", "status", "1")).contains("by operator-user");
    assertThat(palinode("viewer", 0, "doctor"))
        .contains("topic palinode.control.v1: partitions 1, copies 1")
        .containsPattern("broker \\d+: .* free on its disk")
        .doesNotContain("may not be read");
    assertThat(palinode("viewer", 0, "get", "rollbacks"))
        .contains("rollback 1: run by operator-user");
    assertThat(palinode("viewer", 1, "get-value", "x")).contains("no value");
    assertThat(palinode("viewer", 2, "get-value", "x", "--at", to)).contains("the right 'past'");
    assertThat(Files.readString(log("orchestrator")))
        .contains("user=operator-user from=127.0.0.1 request=\"POST /api/v1/rollbacks\" status=202")
        .contains("user=viewer-user from=127.0.0.1 request=\"PUT /api/v1/predicates\" status=403");
  }

  private JsonNode violations() throws Exception {
    return Objects.requireNonNull(
        JSON.readTree(palinode("viewer", 0, "get", "violations", "-o", "json")));
  }

  private static void mayNotWrite(String broker, Path asPart, String... topics) {
    KafkaSettings settings = KafkaSettings.of(broker).withSecurity(KafkaSecurity.read(asPart));
    try (Producer<byte[], byte[]> part = settings.newProducer("it")) {
      for (String topic : topics) {
        assertThatThrownBy(() -> part.send(new ProducerRecord<>(topic, new byte[1])).get())
            .as("%s by %s", topic, asPart.getFileName())
            .hasRootCauseInstanceOf(TopicAuthorizationException.class);
      }
    }
  }

  /** Its rights allow the append; each reader refuses the record. */
  private void aNodeMayNotOrderARollback(String broker, Path asNode, String metrics)
      throws Exception {
    ControlRecord forged =
        ControlRecord.newBuilder()
            .setEpoch(2)
            .setAtMicros(1)
            .setPlanOpened(PlanOpened.newBuilder().setTarget(1).setRequest("forged"))
            .build();
    KafkaSettings settings = KafkaSettings.of(broker).withSecurity(KafkaSecurity.read(asNode));
    try (Producer<byte[], byte[]> node = settings.newProducer("it")) {
      byte[] key = {1};
      node.send(new ProducerRecord<>(Topics.DEFAULT.control(), key, forged.toByteArray())).get();
    }
    await("the node's refusal")
        .atMost(BOUND)
        .untilAsserted(
            () ->
                assertThat(scraped(metrics))
                    .containsPattern("records_refused_total\\{[^}]*reason=\"unsigned\"[^}]*} 1"));
    await("the orchestrator's refusal")
        .atMost(BOUND)
        .until(() -> Files.readString(log("orchestrator")).contains("reason=unsigned"));
    assertThat(palinode("viewer", 0, "get", "rollbacks")).doesNotContain("rollback 2");
    palinode("operator", 0, "put", "y", "1");
  }

  /** As the printed commands would. */
  private void grant(String broker) throws Exception {
    String printed = palinode("viewer", 0, "kafka", "acls", "--alert-topic=alerts");
    List<AclBinding> bindings = new ArrayList<>();
    for (String line : printed.lines().toList()) {
      Matcher acl = ACL.matcher(line);
      assertThat(acl.matches()).as(line).isTrue();
      ResourcePattern resource =
          new ResourcePattern(
              ResourceType.fromString(acl.group(3)),
              Objects.requireNonNullElse(acl.group(4), Resource.CLUSTER_NAME),
              PatternType.LITERAL);
      Matcher operation = Pattern.compile("--operation (\\S+)").matcher(acl.group(2));
      while (operation.find()) {
        bindings.add(
            new AclBinding(
                resource,
                new AccessControlEntry(
                    acl.group(1),
                    "*",
                    SecurityUtils.operation(operation.group(1)),
                    AclPermissionType.ALLOW)));
      }
    }
    KafkaSettings admin =
        KafkaSettings.of(broker).withSecurity(KafkaSecurity.read(properties("admin", "pw")));
    try (Admin client = admin.newAdmin("it")) {
      client.createAcls(bindings).all().get(BOUND.toSeconds(), TimeUnit.SECONDS);
    }
  }

  private Map<String, String> securedBroker() {
    String users = "";
    for (String user :
        List.of("admin", "palinode-node", "palinode-detection", "palinode-orchestrator")) {
      users += " user_%s=\"pw\"".formatted(user);
    }
    Map<String, String> settings = new HashMap<>();
    settings.put("listener.security.protocol.map", "PLAINTEXT:SASL_SSL,CONTROLLER:PLAINTEXT");
    settings.put("inter.broker.listener.name", "PLAINTEXT");
    settings.put("sasl.enabled.mechanisms", "PLAIN");
    settings.put("sasl.mechanism.inter.broker.protocol", "PLAIN");
    settings.put(
        "listener.name.plaintext.plain.sasl.jaas.config",
        "org.apache.kafka.common.security.plain.PlainLoginModule required"
            + " username=\"admin\" password=\"pw\"%s;".formatted(users));
    settings.put("ssl.keystore.location", folder.resolve("broker.p12").toString());
    settings.put("ssl.keystore.password", "storepw");
    settings.put("ssl.key.password", "storepw");
    settings.put("ssl.truststore.type", "PEM");
    settings.put("ssl.truststore.location", folder.resolve("ca.pem").toString());
    settings.put(
        "authorizer.class.name", "org.apache.kafka.metadata.authorizer.StandardAuthorizer");
    // The controller's listener is without a user.
    settings.put("super.users", "User:admin;User:ANONYMOUS");
    return settings;
  }

  private Path properties(String user, String password) throws IOException {
    return Files.writeString(
        folder.resolve(user + ".properties"),
        """
        security.protocol=SASL_SSL
        sasl.mechanism=PLAIN
        sasl.jaas.config=org.apache.kafka.common.security.plain.PlainLoginModule required \
        username="%s" password="%s";
        ssl.truststore.type=PEM
        ssl.truststore.location=%s
        """
                .formatted(user, password, folder.resolve("ca.pem"))
            + new SecuredKafkaFiles(folder).decisionKeys(user));
  }

  private Process orchestrator(String broker, int api, Path properties, Path log)
      throws IOException {
    return run(
        "orchestrator",
        properties,
        broker,
        secured("--nodes=1", "--port=" + api, "--host", "0.0.0.0", "--alert=kafka:alerts"),
        log);
  }

  private Process run(String part, Path properties, String broker, List<String> more, Path log)
      throws IOException {
    List<String> arguments =
        new ArrayList<>(List.of(part, "--kafka", broker, "--kafka-config", properties.toString()));
    arguments.addAll(more);
    return start(arguments, log);
  }

  private Process start(List<String> arguments, Path log) throws IOException {
    List<String> command =
        new ArrayList<>(
            List.of(
                java("java"),
                "-XX:TieredStopAtLevel=1",
                "-Xmx512m",
                "-cp",
                System.getProperty("java.class.path"),
                "io.palinode.cli.Main",
                "run"));
    command.addAll(arguments);
    Process process =
        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile()).start();
    started.add(process);
    return process;
  }

  private void awaitReady(String part) {
    await(part)
        .atMost(BOUND)
        .untilAsserted(() -> assertThat(Files.readString(log(part))).contains("ready"));
  }

  private static String java(String tool) {
    return Path.of(System.getProperty("java.home"), "bin", tool).toString();
  }

  private Path log(String part) {
    return folder.resolve(part + ".log");
  }

  /** The arguments, and those of TLS and users. */
  private List<String> secured(String... arguments) {
    List<String> all = new ArrayList<>(List.of(arguments));
    all.addAll(
        List.of(
            "--tls-certificate=" + file("server.pem"),
            "--tls-key=" + file("server.key"),
            "--tls-client-ca=" + file("ca.pem"),
            "--users=" + users(),
            "--copies-key=" + folder.resolve("copies")));
    return all;
  }

  private Path users() {
    return folder.resolve("users");
  }

  private static Path file(String name) {
    return Path.of("../tls/src/test/certificates").resolve(name).toAbsolutePath();
  }

  /** Returns what a command of the user with this role prints. */
  private String palinode(String role, int exitStatus, String... args) throws Exception {
    List<String> command =
        new ArrayList<>(
            List.of(
                java("java"),
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                "io.palinode.cli.Main"));
    command.addAll(List.of(args));
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(log("command").toFile());
    builder.environment().put("PALINODE_CONFIG", folder.resolve(role + ".json").toString());
    Process process = builder.start();
    started.add(process);
    assertThat(process.waitFor(BOUND.toSeconds(), TimeUnit.SECONDS)).isTrue();
    String printed = Files.readString(log("command"));
    assertThat(process.exitValue()).as(printed).isEqualTo(exitStatus);
    return printed;
  }
}
