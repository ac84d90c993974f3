package io.palinode.cli.options;

import com.fasterxml.jackson.databind.JsonNode;
import io.palinode.terminal.ApiClient;
import io.palinode.terminal.Outage;
import io.palinode.terminal.Unreachable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Model.CommandSpec;

/** Reads what this command has opened. It continues without its orchestrator. */
public final class Opened {
  private static final long ASK_AGAIN_MS = 1_000;

  private final ApiClient api;
  private final CommandSpec spec;
  private final String name;
  private final String path;
  private final CountDownLatch interrupted;

  /**
   * @param name such as {@code rollback 7}
   * @param path of its view in the API
   */
  public Opened(ApiClient api, CommandSpec spec, String name, String path) {
    this(api, spec, name, path, new CountDownLatch(1));
  }

  /** If {@code interrupted} is counted down, {@link #read} ends with its {@link Outage}. */
  public Opened(
      ApiClient api, CommandSpec spec, String name, String path, CountDownLatch interrupted) {
    this.api = api;
    this.spec = spec;
    this.name = name;
    this.path = path;
    this.interrupted = interrupted;
  }

  public <T> T read(Class<T> view) throws InterruptedException {
    return api.view(read(), view);
  }

  /** Waits while no orchestrator answers: another one takes over within seconds. */
  public JsonNode read() throws InterruptedException {
    boolean isSilent = false;
    while (true) {
      try {
        JsonNode answer = api.get(path);
        if (isSilent) {
          report("the orchestrator answers again");
        }
        return answer;
      } catch (Outage | Unreachable silence) {
        if (!isSilent) {
          report(
              "%s continues, but its progress is not known; asking again each second: %s"
                  .formatted(name, silence.getMessage()));
        }
        isSilent = true;
      }
      if (interrupted.await(ASK_AGAIN_MS, TimeUnit.MILLISECONDS)) {
        throw new Outage(
            "it is not known whether %s continues; see it when an orchestrator answers"
                .formatted(name));
      }
    }
  }

  private void report(String line) {
    spec.commandLine().getErr().println("palinode: " + line);
    spec.commandLine().getErr().flush();
  }
}
