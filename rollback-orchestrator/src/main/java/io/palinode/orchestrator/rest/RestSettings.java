package io.palinode.orchestrator.rest;

/**
 * The address of the API. Immutable.
 *
 * @param host the interface's address; every client that reaches it may change predicates
 * @param port 0: any free port
 */
public record RestSettings(String host, int port) {
  public static final RestSettings DEFAULT = new RestSettings("127.0.0.1", 0);

  public RestSettings {
    if (host.isBlank()) {
      throw new IllegalArgumentException("the host to listen on must be named: '" + host + "'");
    }
    if (port < 0 || port > 65_535) {
      throw new IllegalArgumentException("a port must be in [0, 65535]: port=" + port);
    }
  }

  public RestSettings withPort(int newPort) {
    return new RestSettings(host, newPort);
  }
}
