package io.palinode.tls;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.security.auth.x500.X500Principal;
import nl.altindag.ssl.SSLFactory;
import nl.altindag.ssl.util.SSLFactoryUtils;
import nl.altindag.ssl.util.SSLSessionUtils;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The TLS of a listener, which follows its files. Thread-safe. */
public final class ServerTls implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(ServerTls.class);
  private static final Duration LOOK = Duration.ofSeconds(1);

  /** Longer than a listener lets a handshake last. */
  private static final int LOOKS_OF_A_HANDSHAKE = 15;

  private final ServerFiles files;
  private final SSLFactory factory;
  private final Thread watcher = new Thread(this::watch, "palinode-tls");
  private List<String> known;
  private int looksToForget;

  /** The last warning; an equal one is not repeated. */
  private String warned = "";

  private volatile String subject;

  private ServerTls(ServerFiles files) {
    this.files = files;
    this.known = stamps();
    this.subject = ownSubject();
    this.factory = read().withSwappableIdentityMaterial().withSwappableTrustMaterial().build();
  }

  /** Reads the files, and again within seconds of a change. Throws {@link TlsException}. */
  public static ServerTls watching(ServerFiles files) {
    // A ticket would resume the session of a client whose authority is not trusted any more. The
    // JDK reads the property at the first TLS of the process.
    System.setProperty("jdk.tls.server.enableSessionTicketExtension", "false");
    ServerTls tls = new ServerTls(files);
    tls.watcher.setDaemon(true);
    tls.watcher.start();
    return tls;
  }

  /**
   * TLS 1.2 and 1.3, with the server's certificate. With {@link #knowsClients}, also for
   * connections to servers of the same authorities.
   */
  public SSLContext context() {
    return factory.getSslContext();
  }

  /** Whether a client may prove its identity with a certificate. */
  public boolean knowsClients() {
    return files.clientAuthorities() != null;
  }

  /** The canonical subject of the server's own certificate. */
  public String subject() {
    return subject;
  }

  private String ownSubject() {
    X509Certificate own = (X509Certificate) Pem.certificates(files.certificate()).get(0);
    return own.getSubjectX500Principal().getName(X500Principal.CANONICAL);
  }

  /** For one connection. A client needs a certificate if {@link #knowsClients}. */
  public SSLEngine engine() {
    SSLEngine engine = context().createSSLEngine();
    engine.setUseClientMode(false);
    engine.setNeedClientAuth(knowsClients());
    return engine;
  }

  @Override
  public void close() {
    watcher.interrupt();
  }

  private void watch() {
    try {
      while (true) {
        TimeUnit.NANOSECONDS.sleep(LOOK.toNanos());
        refresh();
        forgetSessions();
      }
    } catch (InterruptedException closed) {
      Thread.currentThread().interrupt();
    }
  }

  /** Reads the files again if one has changed. Keeps what is in use while they cannot be read. */
  private void refresh() {
    List<String> now = stamps();
    if (now.equals(known)) {
      return;
    }
    try {
      SSLFactory.Builder read = read();
      String newSubject = ownSubject();
      SSLFactoryUtils.reload(factory, read.build());
      // Not before: what makes a file readable again changes neither its time nor its size.
      known = now;
      warned = "";
      looksToForget = LOOKS_OF_A_HANDSHAKE;
      subject = newSubject;
      log.info("tls=RELOADED certificate={}", files.certificate());
    } catch (RuntimeException e) { // An end of this thread would keep the certificate for good.
      if (!e.toString().equals(warned)) {
        warned = e.toString();
        log.warn("tls=KEPT certificate={}: {}", files.certificate(), warned);
      }
    }
  }

  /**
   * A handshake that began before a change may end after it. Its session would be resumed, without
   * a look at the client's certificate.
   */
  private void forgetSessions() {
    if (looksToForget > 0) {
      looksToForget--;
      SSLSessionUtils.invalidateServerCaches(factory);
    }
  }

  private SSLFactory.Builder read() {
    SSLFactory.Builder builder =
        SSLFactory.builder()
            .withIdentityMaterial(Pem.identity(files.certificate(), files.key()))
            .withProtocols("TLSv1.3", "TLSv1.2");
    if (files.clientAuthorities() != null) {
      builder.withTrustMaterial(Pem.certificates(files.clientAuthorities()));
    }
    return builder;
  }

  /** What differs after a file was replaced or rewritten. */
  private List<String> stamps() {
    return files.all().stream().map(ServerTls::stamp).toList();
  }

  private static String stamp(Path file) {
    try {
      return Files.getLastModifiedTime(file) + " " + Files.size(file);
    } catch (IOException absent) {
      return "";
    }
  }
}
