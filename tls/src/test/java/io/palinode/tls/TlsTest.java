package io.palinode.tls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSession;
import javax.net.ssl.SSLSocket;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Handshakes of real sockets. */
@Timeout(60)
class TlsTest {
  private static final Path CERTIFICATES = Path.of("src/test/certificates");

  @TempDir Path folder;

  /** Open for the whole test: a client looks for its session by the server's port. */
  private final ServerSocket door = listen();

  TlsTest() throws IOException {}

  @AfterEach
  void closeDoor() throws IOException {
    door.close();
  }

  @Test
  void aClientTrustsACertificateOfItsAuthorityAlone() throws Exception {
    try (ServerTls server = server("server", null)) {
      assertThat(handshake(server, client("ca", null))).contains("CN=server");
      assertThatThrownBy(() -> handshake(server, client("other-ca", null)))
          .isInstanceOf(SSLException.class);
      assertThatThrownBy(
              () -> handshake(server, ClientTls.context(new ClientFiles(null, null, null))))
          .isInstanceOf(SSLException.class);
    }
  }

  @Test
  void anExpiredCertificateIsRefused() throws Exception {
    try (ServerTls server = server("expired", null)) {
      assertThatThrownBy(() -> handshake(server, client("ca", null)))
          .isInstanceOf(SSLException.class)
          .hasStackTraceContaining("NotAfter");
    }
  }

  @Test
  void aServerTakesClientsOfItsAuthorityAlone() throws Exception {
    try (ServerTls server = server("server", pem("ca"))) {
      assertThat(server.knowsClients()).isTrue();
      assertThat(handshake(server, client("ca", "client"))).contains("CN=server");
      assertThatThrownBy(() -> handshake(server, client("ca", "stranger")))
          .isInstanceOf(IOException.class);
      assertThatThrownBy(() -> handshake(server, client("ca", "expired")))
          .isInstanceOf(IOException.class);
      assertThatThrownBy(() -> handshake(server, client("ca", null)))
          .isInstanceOf(IOException.class);
    }
  }

  @Test
  void newConnectionsUseTheFilesThatReplacedOthers() throws Exception {
    Path certificate = folder.resolve("tls.pem");
    Path key = folder.resolve("tls.key");
    replace(certificate, pem("server"));
    replace(key, key("server"));
    SSLContext client = client("ca", null);
    try (ServerTls server = ServerTls.watching(new ServerFiles(certificate, key, null))) {
      assertThat(handshake(server, client)).contains("CN=server");
      replace(certificate, pem("renewed"));
      replace(key, key("renewed"));
      await().untilAsserted(() -> assertThat(handshake(server, client)).contains("CN=renewed"));
    }
  }

  @Test
  void aClientIsRefusedWhenItsAuthorityIsReplaced() throws Exception {
    Path authorities = folder.resolve("clients.pem");
    replace(authorities, pem("ca"));
    // It keeps the session of its first connection, and would resume it.
    SSLContext client = client("ca", "client");
    try (ServerTls server = server("server", authorities)) {
      assertThat(handshake(server, client)).contains("CN=server");
      replace(authorities, pem("other-ca"));
      await()
          .untilAsserted(
              () ->
                  assertThatThrownBy(() -> handshake(server, client))
                      .isInstanceOf(IOException.class));
      assertThatThrownBy(() -> handshake(server, client)).isInstanceOf(IOException.class);
    }
  }

  @Test
  void aHandshakeThatBeganBeforeAChangeLeavesNoSession() throws Exception {
    Path authorities = folder.resolve("clients.pem");
    replace(authorities, pem("ca"));
    SSLContext client = client("ca", "client");
    try (ServerTls server = server("server", authorities)) {
      try (ServerSocket behind = listen();
          HeldFinished between = new HeldFinished(door, behind.getLocalPort())) {
        CompletableFuture<@Nullable Void> answered =
            CompletableFuture.runAsync(() -> answer(server, behind));
        CompletableFuture<String> begun = CompletableFuture.supplyAsync(() -> connect(client));
        between.awaitHeld();
        replace(authorities, pem("other-ca"));
        await()
            .untilAsserted(
                () ->
                    assertThatThrownBy(() -> handshake(server, client("ca", "client")))
                        .isInstanceOf(IOException.class));
        between.release();
        assertThat(begun.join()).as("it was checked before").contains("CN=server");
        answered.join();
      }
      await()
          .untilAsserted(
              () ->
                  assertThatThrownBy(() -> handshake(server, client))
                      .isInstanceOf(IOException.class));
    }
  }

  @Test
  void filesThatCannotBeReadReplaceNothing() throws Exception {
    Path certificate = folder.resolve("tls.pem");
    Path key = folder.resolve("tls.key");
    replace(certificate, pem("server"));
    replace(key, key("server"));
    SSLContext client = client("ca", null);
    try (ServerTls server = ServerTls.watching(new ServerFiles(certificate, key, null))) {
      Files.writeString(certificate, "no certificate");
      Files.delete(key);
      assertThat(handshake(server, client)).contains("CN=server");
      replace(certificate, pem("renewed"));
      replace(key, key("renewed"));
      await().untilAsserted(() -> assertThat(handshake(server, client)).contains("CN=renewed"));
    }
  }

  /** As a file that becomes readable by a change of its owner. */
  @Test
  void aFileThatCouldNotBeReadIsReadAgainAlthoughItsTimeAndSizeStay() throws Exception {
    Path certificate = folder.resolve("tls.pem");
    Path key = folder.resolve("tls.key");
    replace(certificate, pem("server"));
    replace(key, key("server"));
    SSLContext client = client("ca", null);
    try (ServerTls server = ServerTls.watching(new ServerFiles(certificate, key, null))) {
      FileTime time = FileTime.from(Instant.now().plusSeconds(60));
      String renewed = Files.readString(pem("renewed"));
      Files.writeString(certificate, "x".repeat(renewed.length()));
      Files.setLastModifiedTime(certificate, time);
      replace(key, key("renewed"));
      await().during(Duration.ofSeconds(3)).until(() -> server.subject().contains("server"));
      Files.writeString(certificate, renewed);
      Files.setLastModifiedTime(certificate, time);
      await().untilAsserted(() -> assertThat(handshake(server, client)).contains("CN=renewed"));
    }
  }

  @Test
  void aRefusalNamesTheFileAndTheReason() throws Exception {
    Path absent = folder.resolve("absent.pem");
    Path text = Files.writeString(folder.resolve("text.pem"), "text");
    refuses(absent, key("server"), "cannot read " + absent + ": it does not exist");
    refuses(text, key("server"), "there is no certificate in " + text + ": it must be PEM");
    Path noBase64 =
        Files.writeString(
            folder.resolve("damaged.pem"),
            "-----BEGIN CERTIFICATE-----\n*\n-----END CERTIFICATE-----\n");
    refuses(
        noBase64, key("server"), "cannot read a certificate from " + noBase64 + ": it must be PEM");
    refuses(
        pem("server"),
        text,
        "cannot read a private key from " + text + ": it must be PEM without a password");
    refuses(
        pem("server"),
        key("renewed"),
        "the key " + key("renewed") + " does not belong to " + pem("server"));
  }

  private static void refuses(Path certificate, Path key, String message) {
    assertThatThrownBy(() -> ServerTls.watching(new ServerFiles(certificate, key, null)))
        .isInstanceOf(TlsException.class)
        .hasMessage(message);
  }

  /** Returns the name in the server's certificate. */
  private String handshake(ServerTls server, SSLContext client) throws Exception {
    CompletableFuture<@Nullable Void> answered =
        CompletableFuture.runAsync(() -> answer(server, door));
    try {
      String name = connect(client);
      answered.join();
      return name;
    } catch (UncheckedIOException refused) {
      answered.join();
      throw Objects.requireNonNull(refused.getCause());
    }
  }

  private static ServerSocket listen() throws IOException {
    return new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
  }

  /** Returns the name in the server's certificate. */
  private String connect(SSLContext client) {
    int port = door.getLocalPort();
    try (SSLSocket socket = (SSLSocket) client.getSocketFactory().createSocket("localhost", port)) {
      SSLParameters checked = socket.getSSLParameters();
      checked.setEndpointIdentificationAlgorithm("HTTPS");
      socket.setSSLParameters(checked);
      socket.startHandshake();
      // With TLS 1.3 a server refuses a client's certificate after the client's handshake.
      if (socket.getInputStream().read() < 0) {
        throw new IOException("the server closed the connection");
      }
      SSLSession session = socket.getSession();
      return ((X509Certificate) session.getPeerCertificates()[0])
          .getSubjectX500Principal()
          .getName();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void answer(ServerTls server, ServerSocket listener) {
    try (Socket plain = listener.accept();
        SSLSocket accepted =
            (SSLSocket) server.context().getSocketFactory().createSocket(plain, null, true)) {
      accepted.setNeedClientAuth(server.knowsClients());
      accepted.getOutputStream().write(1);
      accepted.getOutputStream().flush();
    } catch (IOException refused) {
      // The client observes it.
    }
  }

  private static ServerTls server(String name, @Nullable Path clientAuthorities) {
    return ServerTls.watching(new ServerFiles(pem(name), key(name), clientAuthorities));
  }

  private static SSLContext client(String authority, @Nullable String name) {
    return ClientTls.context(
        name == null
            ? new ClientFiles(pem(authority), null, null)
            : new ClientFiles(pem(authority), pem(name), key(name)));
  }

  /** As tools that renew certificates do. */
  private void replace(Path file, Path by) throws IOException {
    Path copy = Files.copy(by, folder.resolve("new"), StandardCopyOption.REPLACE_EXISTING);
    Files.move(copy, file, StandardCopyOption.REPLACE_EXISTING);
  }

  private static Path pem(String name) {
    return CERTIFICATES.resolve(name + ".pem");
  }

  private static Path key(String name) {
    return CERTIFICATES.resolve(name + ".key");
  }
}
