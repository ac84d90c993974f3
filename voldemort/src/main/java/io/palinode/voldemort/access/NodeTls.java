package io.palinode.voldemort.access;

import io.palinode.tls.ServerTls;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import javax.net.ssl.SSLPeerUnverifiedException;
import javax.net.ssl.SSLSession;
import org.jspecify.annotations.Nullable;

/** The TLS of a node, and the users of its stores. Thread-safe. */
public final class NodeTls implements AutoCloseable {
  private final ServerTls tls;
  private final StoreUsers users;
  private final @Nullable CopyProofs copies;

  /**
   * @param users the users file; null: each certificate of the authority may do everything
   * @param copies null: a client is believed that its write is a copy
   */
  public NodeTls(ServerTls tls, @Nullable Path users, @Nullable CopyProofs copies) {
    this.tls = tls;
    this.users = new StoreUsers(users, System::nanoTime);
    this.copies = copies;
  }

  public ServerTls tls() {
    return tls;
  }

  public @Nullable CopyProofs copies() {
    return copies;
  }

  /** The rights of a client, which its handshake has proved; they follow the users file. */
  public Client client(SSLSession session) {
    try {
      X509Certificate certificate = (X509Certificate) session.getPeerCertificates()[0];
      return new Client(StoreUsers.canonical(certificate.getSubjectX500Principal()));
    } catch (SSLPeerUnverifiedException noCertificate) {
      return new Client("");
    }
  }

  /** The client of one connection. */
  public final class Client {
    private final String subject;

    private Client(String subject) {
      this.subject = subject;
    }

    /** Its user now. A client with the node's own certificate is another node. */
    public StoreUser user() {
      return subject.equals(tls.subject()) ? StoreUser.ANY : users.of(subject);
    }
  }

  @Override
  public void close() {
    tls.close();
  }
}
