package io.palinode.cli.run;

import io.palinode.orchestrator.rest.RestSettings;
import io.palinode.orchestrator.rest.access.Access;
import io.palinode.orchestrator.rest.access.AccessSettings;
import io.palinode.orchestrator.rest.access.OidcSettings;
import io.palinode.terminal.Refusal;
import io.palinode.tls.ServerFiles;
import io.palinode.tls.ServerTls;
import io.palinode.voldemort.access.CopyProofs;
import io.palinode.voldemort.access.NodeTls;
import io.palinode.voldemort.server.SystemMicros;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** TLS and users of what a part serves; a picocli mixin. */
final class AccessOptions {
  @Option(
      names = "--tls-certificate",
      paramLabel = "FILE",
      description =
          "Serve with TLS: PEM file of the certificate, then of its authorities. A replaced file"
              + " is used within seconds.")
  private @Nullable Path certificate;

  @Option(
      names = "--tls-key",
      paramLabel = "FILE",
      description = "PEM file of the certificate's private key, without a password.")
  private @Nullable Path key;

  @Option(
      names = "--tls-client-ca",
      paramLabel = "FILE",
      description =
          "PEM file of the authorities of clients' certificates. Clients of a store node then need"
              + " a certificate; users of HTTP may have one instead of a token.")
  private @Nullable Path clientAuthorities;

  @Option(
      names = "--users",
      paramLabel = "FILE",
      description =
          "The users of HTTP, and of the stores by their certificates, as 'palinode user add'"
              + " writes them.")
  private @Nullable Path users;

  @Option(
      names = "--copies-key",
      paramLabel = "FILE",
      description =
          "Store nodes: the same file on all nodes, with 32 random bytes or more. A node then"
              + " believes only with a proof of another node that a client's write is a copy.")
  private @Nullable Path copiesKey;

  @Option(
      names = "--oidc-issuer",
      paramLabel = "URL",
      description =
          "Users of HTTP are also those whose tokens this OpenID Connect provider has signed.")
  private @Nullable String issuer;

  @Option(
      names = "--oidc-audience",
      paramLabel = "NAME",
      description = "The audience that such a token must have. Needed with --oidc-issuer.")
  private @Nullable String audience;

  @Option(
      names = "--oidc-roles-claim",
      defaultValue = "roles",
      paramLabel = "CLAIM",
      description =
          "The claim with the user's roles, such as palinode-viewer; dots lead into objects"
              + " (default: ${DEFAULT-VALUE}).")
  private String rolesClaim = "";

  @Option(
      names = "--oidc-name-claim",
      defaultValue = "sub",
      paramLabel = "CLAIM",
      description = "The claim with the user's name (default: ${DEFAULT-VALUE}).")
  private String nameClaim = "";

  @Option(
      names = "--oidc-ca",
      paramLabel = "FILE",
      description =
          "PEM file of the authorities of the provider's certificate (default: those that Java"
              + " trusts).")
  private @Nullable Path providerAuthorities;

  @Option(
      names = "--insecure",
      description = "Listen beyond this machine although TLS, users or client certificates miss.")
  private boolean insecure;

  /**
   * Of an HTTP server. Throws {@link Refusal} if it would be open to other machines, {@link
   * io.palinode.tls.TlsException} or {@link io.palinode.orchestrator.rest.access.UsersException}
   * for files that cannot be used.
   */
  RestSettings http(String option, String host, int port) {
    RestSettings settings = settings(option, host, port);
    // Before a part waits for Kafka.
    new Access(settings.access()).close();
    return settings;
  }

  private RestSettings settings(String option, String host, int port) {
    return Refusal.valid(
        option,
        () -> new RestSettings(host, port, new AccessSettings(files(), users, oidc(), insecure)));
  }

  private @Nullable OidcSettings oidc() {
    String url = issuer;
    String wanted = audience;
    if (url == null || wanted == null) {
      if (url != null || wanted != null) {
        throw new Refusal("--oidc-issuer and --oidc-audience must be named together");
      }
      return null;
    }
    return Refusal.valid(
        "--oidc-issuer",
        () -> new OidcSettings(url, wanted, rolesClaim, nameClaim, providerAuthorities));
  }

  /**
   * The TLS of a store node, with the users of its stores; null: clear text. Throws {@link Refusal}
   * if the node would be open to other machines, {@link io.palinode.tls.TlsException} for
   * unreadable files.
   */
  @Nullable NodeTls store(String host) {
    ServerFiles files = files();
    if (files == null) {
      if (copiesKey != null) {
        throw new Refusal("--copies-key needs TLS: name --tls-certificate and --tls-key");
      }
      if (insecure || AccessSettings.isLoopback(host)) {
        return null;
      }
      throw new Refusal(
          "a store node on %s is reached from other machines and needs TLS (--tls-certificate,"
                  .formatted(host)
              + " --tls-key, --tls-client-ca): name them, or allow it with --insecure");
    }
    if (clientAuthorities == null) {
      throw new Refusal(
          "a store node with TLS needs --tls-client-ca, as its clients prove their name");
    }
    ServerTls tls = ServerTls.watching(files);
    try {
      return new NodeTls(tls, users, copies());
    } catch (IllegalArgumentException e) {
      tls.close();
      throw new Refusal(String.valueOf(e.getMessage()), e);
    }
  }

  private @Nullable CopyProofs copies() {
    return copiesKey == null ? null : CopyProofs.read(copiesKey, new SystemMicros());
  }

  /** What other machines may do at a store node without proof, in one sentence; null: nothing. */
  @Nullable String openStore(String host) {
    return files() != null || AccessSettings.isLoopback(host)
        ? null
        : "the stores on %s have no TLS and no users".formatted(host);
  }

  private @Nullable ServerFiles files() {
    if (certificate != null && key != null) {
      return new ServerFiles(certificate, key, clientAuthorities);
    }
    if (certificate != null || key != null || clientAuthorities != null) {
      throw new Refusal("--tls-certificate and --tls-key must be named together");
    }
    return null;
  }
}
