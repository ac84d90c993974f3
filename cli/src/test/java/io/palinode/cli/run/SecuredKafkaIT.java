package io.palinode.cli.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.palinode.cli.Main;
import io.palinode.hvc.Hlc;
import io.palinode.launcher.StoreCluster;
import io.palinode.launcher.embedded.EmbeddedKafka;
import io.palinode.launcher.embedded.Ports;
import io.palinode.voldemort.client.ClientConfig;
import io.palinode.voldemort.client.StoreClient;
import io.palinode.wire.KafkaSecurity;
import io.palinode.wire.KafkaSettings;
import io.palinode.wire.Topics;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
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
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.acl.AclPermissionType;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.apache.kafka.common.resource.PatternType;
import org.apache.kafka.common.resource.ResourcePattern;
import org.apache.kafka.common.resource.ResourceType;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** The parts as processes, on a broker that asks for TLS, a password, and rights. */
@Timeout(300)
class SecuredKafkaIT {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Duration BOUND = Duration.ofSeconds(90);
  private static final Pattern ACL =
      Pattern.compile(
          "kafka-acls.sh --bootstrap-server \\S+ --command-config \\S+ --add"
              + " --allow-principal (\\S+) ((?:--operation \\S+ )+)--(topic|group) (\\S+)");

  @TempDir Path folder;
  private final List<Process> started = new ArrayList<>();

  @AfterEach
  void end() {
    started.forEach(process -> process.destroyForcibly().onExit().join());
  }

  @Test
  void thePartsWorkWithThePrintedRightsAndWithNoOthers() throws Exception {
    makeCertificate();
    int api = Ports.free(1).get(0);
    List<Integer> stores = Ports.free(1);
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
      orchestrator(broker, api, asOrchestrator, log("orchestrator"));
      awaitReady("orchestrator");
      run(
          "detection",
          properties("palinode-detection", "pw"),
          broker,
          List.of("--nodes", "1", "--data", folder.toString()));
      Path cluster =
          Files.writeString(folder.resolve("cluster.xml"), StoreCluster.layout(stores).toXml());
      Path asNode = properties("palinode-node", "pw");
      run(
          "node",
          asNode,
          broker,
          List.of("--id", "0", "--cluster", cluster.toString(), "--data", folder.toString()));
      awaitReady("node");
      aWriteIsJudgedAndUndone("http://127.0.0.1:" + api, "tcp://127.0.0.1:" + stores.get(0));
      aNodeMayNotReportViolations(broker, asNode);
    }
  }

  private void aWriteIsJudgedAndUndone(String api, String store) throws IOException {
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
    palinode("apply", "-f", file.toString(), "--server", api);
    try (StoreClient client = StoreClient.connect(ClientConfig.of(List.of(store), "it"))) {
      assertThat(client.store("default").put("x", "1")).isNotNull();
    }
    await("the violation").atMost(BOUND).until(() -> get("violations", api).size() == 1);
    long violate = Hlc.parse(get("violations", api).get(0).path("violate").asText());
    palinode("rollback", "run", "--to", Hlc.format(violate - 1), "--yes", "--server", api);
    try (StoreClient client = StoreClient.connect(ClientConfig.of(List.of(store), "reader"))) {
      assertThat(client.store("default").getAll(List.of("x"))).isEmpty();
    }
  }

  private static void aNodeMayNotReportViolations(String broker, Path asNode) {
    KafkaSettings settings = KafkaSettings.of(broker).withSecurity(KafkaSecurity.read(asNode));
    try (Producer<byte[], byte[]> node = settings.newProducer("it")) {
      assertThatThrownBy(
              () -> node.send(new ProducerRecord<>(Topics.DEFAULT.violations(), new byte[1])).get())
          .hasRootCauseInstanceOf(TopicAuthorizationException.class);
    }
  }

  /** As the printed commands would. */
  private void grant(String broker) throws Exception {
    String printed = palinode("kafka", "acls");
    List<AclBinding> bindings = new ArrayList<>();
    for (String line : printed.lines().toList()) {
      Matcher acl = ACL.matcher(line);
      assertThat(acl.matches()).as(line).isTrue();
      ResourcePattern resource =
          new ResourcePattern(
              ResourceType.fromString(acl.group(3)), acl.group(4), PatternType.LITERAL);
      Matcher operation = Pattern.compile("--operation (\\S+)").matcher(acl.group(2));
      while (operation.find()) {
        bindings.add(
            new AclBinding(
                resource,
                new AccessControlEntry(
                    acl.group(1),
                    "*",
                    AclOperation.fromString(operation.group(1)),
                    AclPermissionType.ALLOW)));
      }
    }
    KafkaSettings admin =
        KafkaSettings.of(broker).withSecurity(KafkaSecurity.read(properties("admin", "pw")));
    try (Admin client = admin.newAdmin("it")) {
      client.createAcls(bindings).all().get(BOUND.toSeconds(), TimeUnit.SECONDS);
    }
  }

  private void makeCertificate() throws IOException, InterruptedException {
    keytool(
        "-genkeypair",
        "-alias",
        "broker",
        "-keyalg",
        "EC",
        "-dname",
        "CN=broker",
        "-ext",
        "SAN=ip:127.0.0.1",
        "-storetype",
        "PKCS12",
        "-storepass",
        "storepw",
        "-keystore",
        "broker.p12");
    keytool(
        "-exportcert",
        "-rfc",
        "-alias",
        "broker",
        "-storepass",
        "storepw",
        "-keystore",
        "broker.p12",
        "-file",
        "ca.pem");
  }

  private void keytool(String... arguments) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(List.of(java("keytool")));
    command.addAll(List.of(arguments));
    Process process =
        new ProcessBuilder(command)
            .directory(folder.toFile())
            .redirectErrorStream(true)
            .redirectOutput(log("keytool").toFile())
            .start();
    assertThat(process.waitFor(BOUND.toSeconds(), TimeUnit.SECONDS)).isTrue();
    assertThat(process.exitValue()).as(Files.readString(log("keytool"))).isZero();
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
            .formatted(user, password, folder.resolve("ca.pem")));
  }

  private Process orchestrator(String broker, int api, Path properties, Path log)
      throws IOException {
    return run(
        "orchestrator",
        properties,
        broker,
        List.of("--nodes", "1", "--port", Integer.toString(api)),
        log);
  }

  private void run(String part, Path properties, String broker, List<String> more)
      throws IOException {
    Process unused = run(part, properties, broker, more, log(part));
  }

  private Process run(String part, Path properties, String broker, List<String> more, Path log)
      throws IOException {
    List<String> command =
        new ArrayList<>(
            List.of(
                java("java"),
                "-XX:TieredStopAtLevel=1",
                "-Xmx512m",
                "-cp",
                System.getProperty("java.class.path"),
                "io.palinode.cli.Main",
                "run",
                part,
                "--kafka",
                broker,
                "--kafka-config",
                properties.toString()));
    command.addAll(more);
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

  private static JsonNode get(String kind, String api) throws IOException {
    return Objects.requireNonNull(
        JSON.readTree(palinode("get", kind, "-o", "json", "--server", api)));
  }

  private static String palinode(String... args) {
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    CommandLine palinode = Main.commandLine();
    palinode.setOut(new PrintWriter(out, true)).setErr(new PrintWriter(err, true));
    assertThat(palinode.execute(args)).as("%s %s", out, err).isZero();
    return out.toString();
  }
}
