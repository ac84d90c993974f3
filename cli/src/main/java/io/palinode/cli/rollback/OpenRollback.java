package io.palinode.cli.rollback;

import io.palinode.orchestrator.rest.OneRollbackView;
import io.palinode.terminal.ApiClient;
import io.palinode.terminal.Outage;
import io.palinode.terminal.Unreachable;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Model.CommandSpec;

/** Reads a rollback that this command has opened. It continues without its orchestrator. */
final class OpenRollback {
  private static final long ASK_AGAIN_MS = 1_000;

  private final ApiClient api;
  private final CommandSpec spec;
  private final String id;

  OpenRollback(ApiClient api, CommandSpec spec, String id) {
    this.api = api;
    this.spec = spec;
    this.id = id;
  }

  /** Waits while no orchestrator answers: another one takes over within seconds. */
  OneRollbackView read() throws InterruptedException {
    boolean isSilent = false;
    while (true) {
      try {
        OneRollbackView view = api.get(RollbackCommand.path(id), OneRollbackView.class);
        if (isSilent) {
          report("the orchestrator answers again");
        }
        return view;
      } catch (Outage | Unreachable silence) {
        if (!isSilent) {
          report(
              "rollback %s continues, but its progress is not known; asking again each second: %s"
                  .formatted(id, silence.getMessage()));
        }
        isSilent = true;
      }
      TimeUnit.MILLISECONDS.sleep(ASK_AGAIN_MS);
    }
  }

  private void report(String line) {
    spec.commandLine().getErr().println("palinode: " + line);
    spec.commandLine().getErr().flush();
  }
}
