package io.palinode.cli.run;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.Key;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** The certificate of a broker and the keys of decisions, as files in a folder. */
record SecuredKafkaFiles(Path folder) {
  private static final Duration BOUND = Duration.ofSeconds(90);

  /** Of the broker, which is its own authority. */
  void makeCertificate() throws IOException, InterruptedException {
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
    List<String> command =
        new ArrayList<>(
            List.of(Path.of(System.getProperty("java.home"), "bin", "keytool").toString()));
    command.addAll(List.of(arguments));
    Process process =
        new ProcessBuilder(command)
            .directory(folder.toFile())
            .redirectErrorStream(true)
            .redirectOutput(folder.resolve("keytool.log").toFile())
            .start();
    assertThat(process.waitFor(BOUND.toSeconds(), TimeUnit.SECONDS)).isTrue();
    assertThat(process.exitValue()).as(Files.readString(folder.resolve("keytool.log"))).isZero();
  }

  /** The lines for the client properties of a part: only an orchestrator has the private half. */
  String decisionKeys(String user) throws IOException {
    String keys = "palinode.decision.keys=%s%n".formatted(folder.resolve("decisions.pem"));
    return user.equals("palinode-orchestrator")
        ? keys + "palinode.decision.key=%s%n".formatted(folder.resolve("decisions.key"))
        : keys;
  }

  void makeDecisionKeys() throws Exception {
    KeyPair pair = KeyPairGenerator.getInstance("RSA").generateKeyPair();
    writePem("decisions.pem", "PUBLIC", pair.getPublic());
    writePem("decisions.key", "PRIVATE", pair.getPrivate());
  }

  private void writePem(String name, String kind, Key key) throws IOException {
    String base64 = Base64.getMimeEncoder().encodeToString(key.getEncoded());
    Path unused =
        Files.writeString(
            folder.resolve(name),
            "-----BEGIN %s KEY-----%n%s%n-----END %s KEY-----%n".formatted(kind, base64, kind));
  }
}
