package io.palinode.cli.rollback;

import io.palinode.cli.options.Opened;
import io.palinode.cli.options.TimeText;
import io.palinode.orchestrator.rest.OneRollbackView;
import io.palinode.orchestrator.rest.Views.RollbackView;
import io.palinode.terminal.ApiClient;
import java.io.PrintWriter;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Model.CommandSpec;

/** Follows a rollback to its end. */
final class RollbackWatch {
  private static final long POLL_MS = 100;

  private final ApiClient api;
  private final CommandSpec spec;

  RollbackWatch(ApiClient api, CommandSpec spec) {
    this.api = api;
    this.spec = spec;
  }

  /** Prints each state; returns 0 if the rollback was carried out, or if {@code noWait}. */
  int follow(String id, boolean noWait) throws InterruptedException {
    PrintWriter out = opened(id);
    return noWait ? 0 : end(id, ended(id, out));
  }

  /** Like {@link #follow}; also 1 if the target moved from {@code target}. */
  int followTo(String id, String target) throws InterruptedException {
    OneRollbackView ended = ended(id, opened(id));
    int status = end(id, ended);
    return ended.rollback().target().equals(target) ? status : 1;
  }

  private PrintWriter opened(String id) {
    PrintWriter out = spec.commandLine().getOut();
    out.println("rollback " + id + " is opened");
    out.flush();
    return out;
  }

  private OneRollbackView ended(String id, PrintWriter out) throws InterruptedException {
    Opened rollback = new Opened(api, spec, "rollback " + id, RollbackCommand.path(id));
    String printed = "";
    while (true) {
      OneRollbackView now = rollback.read(OneRollbackView.class);
      String state = now.rollback().state();
      if (!state.equals(printed)) {
        printed = state;
        out.println("rollback " + id + " " + line(now));
        out.flush();
      }
      if (now.rollback().totalMs() != null) {
        return now;
      }
      TimeUnit.MILLISECONDS.sleep(POLL_MS);
    }
  }

  private static String line(OneRollbackView one) {
    RollbackView rollback = one.rollback();
    if (one.givenUp() != null) {
      return "discarded no write: all writes stand";
    }
    if (!rollback.state().equals("resumed")) {
      return "is " + rollback.state();
    }
    double totalMs = rollback.totalMs() == null ? 0 : rollback.totalMs();
    return one.scope().equals("affected")
        ? "is done: keys restored: %,d, clients concerned: %,d, after %,.0f ms"
            .formatted(one.keys() == null ? 0 : one.keys(), RollbackCommand.clients(one), totalMs)
        : "is done: the store is as it was at %s, after %,.0f ms"
            .formatted(TimeText.of(rollback.target()), totalMs);
  }

  private int end(String id, OneRollbackView one) {
    PrintWriter err = spec.commandLine().getErr();
    if (one.givenUp() != null) {
      err.println(
          "palinode: the rollback of scope 'affected' discarded no write: " + one.givenUp());
      return 1;
    }
    one.moves().forEach(move -> err.println("palinode: its target moved: " + move));
    RollbackView rollback = one.rollback();
    if (rollback.state().equals("resumed")) {
      return 0;
    }
    String reason = rollback.haltReason() == null ? "" : ": " + rollback.haltReason();
    err.println("palinode: rollback %s is %s%s".formatted(id, rollback.state(), reason));
    return 1;
  }
}
