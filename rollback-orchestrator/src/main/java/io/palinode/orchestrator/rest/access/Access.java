package io.palinode.orchestrator.rest.access;

import io.javalin.config.JavalinConfig;
import io.javalin.http.Context;
import io.javalin.http.HandlerType;
import io.palinode.orchestrator.rest.problem.ProblemCode;
import io.palinode.orchestrator.rest.problem.ProblemException;
import io.palinode.tls.ServerTls;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.util.Locale;
import org.eclipse.jetty.server.Connector;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.NetworkConnectionLimit;
import org.eclipse.jetty.server.SecureRequestCustomizer;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.server.SslConnectionFactory;
import org.eclipse.jetty.util.ssl.SslContextFactory;
import org.eclipse.jetty.util.thread.QueuedThreadPool;
import org.jspecify.annotations.Nullable;

/** Checks the user of each request, over TLS if there is any. Thread-safe. */
public final class Access implements AutoCloseable {
  private static final String USER = "palinode.user";
  private static final String CERTIFICATES = "jakarta.servlet.request.X509Certificate";
  private static final String BEARER = "bearer ";
  private static final String HTTP = "http/1.1";
  private static final int THREADS_MAX = 16;
  private static final int THREADS_MIN = 4;
  private static final int IDLE_MS = 30_000;
  private static final int CONNECTIONS_MAX = 512;

  /** A request that neither sends nor takes a byte for so long is refused. */
  private static final int SLOW_MS = 5_000;

  private final @Nullable UsersFile users;
  private final @Nullable Oidc oidc;
  private final @Nullable ServerTls tls;

  /**
   * Throws {@link UsersException} or {@link io.palinode.tls.TlsException} if a file cannot be used.
   */
  public Access(AccessSettings settings) {
    Path file = settings.users();
    this.users = file == null ? null : new UsersFile(file, System::nanoTime);
    this.oidc = settings.oidc() == null ? null : new Oidc(settings.oidc());
    this.tls = settings.tls() == null ? null : ServerTls.watching(settings.tls());
  }

  public String scheme() {
    return tls == null ? "http" : "https";
  }

  /** Bounds threads and connections, and makes the server listen with TLS, if there is any. */
  public void configure(JavalinConfig config, String host, int port) {
    QueuedThreadPool threads = new QueuedThreadPool(THREADS_MAX, THREADS_MIN, IDLE_MS);
    threads.setName("palinode-rest");
    threads.setDaemon(true);
    config.jetty.threadPool = threads;
    config.jetty.modifyServer(Access::limitConnections);
    config.jetty.modifyServer(jetty -> SlowConnections.limit(jetty, SLOW_MS));
    config.jetty.modifyServer(jetty -> jetty.insertHandler(new UnreadBodies(SLOW_MS)));
    config.jetty.modifyServer(jetty -> jetty.setErrorHandler(new ClosingErrors()));
    config.jetty.modifyHttpConfiguration(
        http -> {
          http.setIdleTimeout(SLOW_MS);
          http.setSendServerVersion(false);
        });
    ServerTls serverTls = tls;
    if (serverTls != null) {
      config.jetty.addConnector((jetty, http) -> connector(jetty, http, serverTls, host, port));
    }
  }

  private static void limitConnections(Server jetty) {
    NetworkConnectionLimit limit = new NetworkConnectionLimit(CONNECTIONS_MAX, jetty);
    limit.setEndPointIdleTimeout(SLOW_MS);
    jetty.addBean(limit);
  }

  private static Connector connector(
      Server jetty, HttpConfiguration http, ServerTls tls, String host, int port) {
    // Clients may name a server by an address, which is no name of SNI.
    http.addCustomizer(new SecureRequestCustomizer(false));
    SslContextFactory.Server ssl = new SslContextFactory.Server();
    ssl.setSslContext(tls.context());
    ssl.setWantClientAuth(tls.knowsClients());
    ServerConnector connector =
        new ServerConnector(
            jetty, new SslConnectionFactory(ssl, HTTP), new HttpConnectionFactory(http));
    connector.setHost(host);
    connector.setPort(port);
    return connector;
  }

  /** Throws the exception of an answer 401 or 403 unless the request's user may use the route. */
  public void check(Context ctx) {
    if (users == null && oidc == null) {
      return;
    }
    Role needed = needed(ctx);
    if (needed == Role.ANYONE) {
      return;
    }
    User user = user(ctx);
    if (user == null) {
      throw unauthorized(
          ctx,
          ctx.header("Authorization") == null
              ? "this API has users: send a token as 'Authorization: Bearer TOKEN'"
              : "the token is not one of this API's users");
    }
    ctx.attribute(USER, user);
    if (!user.role().covers(needed)) {
      throw new ProblemException(
          ProblemCode.FORBIDDEN,
          "%s %s needs the role %s: '%s' has the role %s"
              .formatted(
                  ctx.method(), ctx.path(), needed.label(), user.name(), user.role().label()));
    }
  }

  private static ProblemException unauthorized(Context ctx, String why) {
    ctx.header("WWW-Authenticate", "Bearer");
    return new ProblemException(ProblemCode.UNAUTHORIZED, why);
  }

  /** A route without a role is for admins; HEAD reads nothing that its GET does not. */
  private static Role needed(Context ctx) {
    Role without = ctx.method().equals(HandlerType.HEAD) ? Role.VIEWER : Role.ADMIN;
    return ctx.routeRoles().stream().map(Role.class::cast).findFirst().orElse(without);
  }

  private @Nullable User user(Context ctx) {
    String header = ctx.header("Authorization");
    if (header != null) {
      return header.toLowerCase(Locale.ROOT).startsWith(BEARER)
          ? withToken(ctx, header.substring(BEARER.length()).strip())
          : null;
    }
    Object certificates = ctx.req().getAttribute(CERTIFICATES);
    return certificates instanceof X509Certificate[] chain && chain.length > 0 && users != null
        ? users.users().withSubject(chain[0].getSubjectX500Principal())
        : null;
  }

  private @Nullable User withToken(Context ctx, String token) {
    if (oidc == null || !Oidc.isJwt(token)) {
      return users == null ? null : users.users().withToken(token);
    }
    try {
      return oidc.user(token);
    } catch (Oidc.RefusedTokenException e) {
      throw unauthorized(ctx, "the token is refused: " + e.getMessage());
    }
  }

  /** Whether the request's user may do what {@code role} may; without users, each client may. */
  public static boolean may(Context ctx, Role role) {
    User user = ctx.attribute(USER);
    return user == null || user.role().covers(role);
  }

  /** The user of a request that was checked. */
  public static UserView userView(Context ctx) {
    User user = ctx.attribute(USER);
    return user == null
        ? new UserView(null, Role.ADMIN.label())
        : new UserView(user.name(), user.role().label());
  }

  /** The name of the user of a request that was checked; empty: there are no users. */
  public static String userName(Context ctx) {
    User user = ctx.attribute(USER);
    return user == null ? "" : user.name();
  }

  @Override
  public void close() {
    if (tls != null) {
      tls.close();
    }
  }
}
