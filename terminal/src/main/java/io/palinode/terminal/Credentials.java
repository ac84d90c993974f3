package io.palinode.terminal;

import io.palinode.tls.ClientFiles;
import io.palinode.tls.ClientTls;
import io.palinode.tls.TlsException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/**
 * What proves to a cluster who asks, from the environment or else from the context in use.
 *
 * @param ca the file of the authorities of the servers' certificates; null: those that Java trusts
 */
public record Credentials(
    @Nullable String ca,
    @Nullable String certificate,
    @Nullable String key,
    @Nullable String tokenFile) {

  /** For the API at {@code server}. A context proves nothing to a server that is not its own. */
  static Credentials forServer(String server) {
    Context context = Contexts.inUse();
    return of(server.equals(context.server()) ? context : Context.NONE);
  }

  /** For store nodes. */
  public static Credentials forStores() {
    return of(Contexts.inUse());
  }

  private static Credentials of(Context context) {
    return new Credentials(
        environment("PALINODE_CA", context.ca()),
        environment("PALINODE_CERTIFICATE", context.certificate()),
        environment("PALINODE_KEY", context.key()),
        environment("PALINODE_TOKEN_FILE", context.tokenFile()));
  }

  private static @Nullable String environment(String name, @Nullable String otherwise) {
    String value = System.getenv(name);
    return value == null || value.isEmpty() ? otherwise : value;
  }

  /** Throws {@link Refusal} if a file cannot be used. */
  public SSLContext tls() {
    try {
      return ClientTls.context(new ClientFiles(path(ca), path(certificate), path(key)));
    } catch (TlsException | IllegalArgumentException e) {
      throw new Refusal(String.valueOf(e.getMessage()), e);
    }
  }

  /** A client id of the user that has the certificate, if there is one. */
  public String clientId(String program) {
    if (certificate == null) {
      return program;
    }
    try {
      String name = ClientTls.commonName(Path.of(certificate));
      return name.isEmpty() ? program : name + "/" + program;
    } catch (TlsException e) {
      throw new Refusal(String.valueOf(e.getMessage()), e);
    }
  }

  private static @Nullable Path path(@Nullable String file) {
    return file == null ? null : Path.of(file);
  }

  /** Null: there is none. Throws {@link Refusal} if others would read it on its way. */
  @Nullable String token(String server) {
    String file = tokenFile;
    if (file == null) {
      return null;
    }
    if (!server.startsWith("https:") && !isThisMachine(server)) {
      throw new Refusal(
          "the token in %s is not sent to %s without TLS: use https".formatted(file, server));
    }
    try {
      String token = Files.readString(Path.of(file)).strip();
      if (!token.matches("[\\x21-\\x7e]+")) {
        throw new Refusal("the file %s must have one line, a token".formatted(file));
      }
      return token;
    } catch (IOException e) {
      throw new Refusal("cannot read the token in %s: %s".formatted(file, e), e);
    }
  }

  private static boolean isThisMachine(String server) {
    try {
      String host = Objects.requireNonNullElse(URI.create(server).getHost(), "");
      return !host.isEmpty() && InetAddress.getByName(host).isLoopbackAddress();
    } catch (IllegalArgumentException | UnknownHostException e) {
      return false;
    }
  }
}
