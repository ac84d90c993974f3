package io.palinode.agent.client;

import io.palinode.store.hosted.Settings;
import io.palinode.voldemort.protocol.Frames;
import java.time.Duration;
import java.util.List;

/**
 * The configuration of the agent in a client.
 *
 * @param client the writer in violations; at most {@link Frames#CLIENT_ID_MAX} characters, or
 *     servers refuse it
 * @param pauseMax how long an operation waits for the end of a rollback
 * @param rollbackListener a class of the application; empty for none
 */
record ClientAgentConfig(String client, Duration pauseMax, String rollbackListener) {
  private static final Duration PAUSE_MAX_DEFAULT = Duration.ofSeconds(30);
  private static final List<String> KEYS = List.of("client", "pauseMax", "rollbackListener");

  ClientAgentConfig {
    if (client.isBlank()) {
      throw new IllegalArgumentException("client must be a name");
    }
    if (client.length() > Frames.CLIENT_ID_MAX) {
      throw new IllegalArgumentException(
          "client must be at most %d characters: length=%d"
              .formatted(Frames.CLIENT_ID_MAX, client.length()));
    }
    if (pauseMax.isNegative() || pauseMax.isZero()) {
      throw new IllegalArgumentException("pauseMax must be positive: " + pauseMax);
    }
  }

  /**
   * @param client the default name
   */
  static ClientAgentConfig defaults(String client) {
    return new ClientAgentConfig(client, PAUSE_MAX_DEFAULT, "");
  }

  /** Reads YAML. Throws {@link IllegalArgumentException} with the file, the key and the rule. */
  static ClientAgentConfig parse(String file, String yaml, String client) {
    return Settings.read(
        file,
        yaml,
        KEYS,
        settings ->
            new ClientAgentConfig(
                settings.value("client", client, text -> text),
                settings.value("pauseMax", PAUSE_MAX_DEFAULT, Settings::duration),
                settings.value("rollbackListener", "", text -> text)));
  }
}
