package io.palinode.orchestrator.rest;

import io.palinode.orchestrator.rest.access.AccessSettings;
import io.palinode.orchestrator.rest.past.PastBackend;
import org.jspecify.annotations.Nullable;

/**
 * The address of an HTTP server, and its protection. Immutable.
 *
 * @param host the interface's address; beyond loopback, {@code access} must be complete
 * @param port 0: any free port
 * @param past reads the store nodes; null: they are not known
 */
public record RestSettings(
    String host, int port, AccessSettings access, @Nullable PastBackend past) {
  public static final String LOOPBACK = "127.0.0.1";
  public static final RestSettings DEFAULT = new RestSettings(LOOPBACK, 0, AccessSettings.NONE);

  /** Without reads of the past. */
  public RestSettings(String host, int port, AccessSettings access) {
    this(host, port, access, null);
  }

  public RestSettings {
    if (host.isBlank()) {
      throw new IllegalArgumentException("the host to listen on must be named: '" + host + "'");
    }
    if (port < 0 || port > 65_535) {
      throw new IllegalArgumentException("a port must be in [0, 65535]: port=" + port);
    }
    access.requireFor(host);
  }

  public RestSettings withPort(int newPort) {
    return new RestSettings(host, newPort, access, past);
  }

  public RestSettings withPast(@Nullable PastBackend newPast) {
    return new RestSettings(host, port, access, newPast);
  }
}
