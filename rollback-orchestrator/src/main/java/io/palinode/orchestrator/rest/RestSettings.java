package io.palinode.orchestrator.rest;

import io.palinode.orchestrator.rest.access.AccessSettings;

/**
 * The address of an HTTP server, and its protection. Immutable.
 *
 * @param host the interface's address; beyond loopback, {@code access} must be complete
 * @param port 0: any free port
 */
public record RestSettings(String host, int port, AccessSettings access) {
  public static final String LOOPBACK = "127.0.0.1";
  public static final RestSettings DEFAULT = new RestSettings(LOOPBACK, 0, AccessSettings.NONE);

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
    return new RestSettings(host, newPort, access);
  }
}
