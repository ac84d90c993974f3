package io.palinode.cli.rollback;

import com.fasterxml.jackson.databind.JsonNode;
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
    PrintWriter out = spec.commandLine().getOut();
    out.println("rollback " + id + " is opened");
    out.flush();
    if (noWait) {
      return 0;
    }
    String printed = "";
    while (true) {
      JsonNode now = api.get(RollbackCommand.path(id));
      String state = now.path("state").asText();
      if (!state.equals(printed)) {
        printed = state;
        out.println("rollback " + id + " " + line(now));
        out.flush();
      }
      if (now.path("totalMs").isNumber()) {
        return end(id, now);
      }
      TimeUnit.MILLISECONDS.sleep(POLL_MS);
    }
  }

  private static String line(JsonNode rollback) {
    String state = rollback.path("state").asText();
    if (rollback.path("givenUp").isTextual()) {
      return "discarded no write: all writes stand";
    }
    if (state.equals("resumed") && rollback.path("scope").asText().equals("affected")) {
      return "is done: keys restored: %,d, clients concerned: %,d, after %,.0f ms"
          .formatted(
              rollback.path("keys").asInt(),
              rollback.path("clients").size(),
              rollback.path("totalMs").asDouble());
    }
    return state.equals("resumed")
        ? "is done: the store is as it was at %s, after %,.0f ms"
            .formatted(rollback.path("target").asText(), rollback.path("totalMs").asDouble())
        : "is " + state;
  }

  private int end(String id, JsonNode rollback) {
    PrintWriter err = spec.commandLine().getErr();
    if (rollback.path("givenUp").isTextual()) {
      err.println(
          "palinode: the rollback of scope 'affected' discarded no write: "
              + rollback.path("givenUp").asText());
      return 1;
    }
    for (JsonNode move : rollback.path("moves")) {
      err.println("palinode: its target moved: " + move.asText());
    }
    if (rollback.path("state").asText().equals("resumed")) {
      return 0;
    }
    String reason = rollback.path("haltReason").asText("").replace("null", "");
    err.println(
        "palinode: rollback %s is %s%s"
            .formatted(id, rollback.path("state").asText(), reason.isEmpty() ? "" : ": " + reason));
    return 1;
  }
}
