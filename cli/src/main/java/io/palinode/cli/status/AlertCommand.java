package io.palinode.cli.status;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.palinode.terminal.ApiClient;
import io.palinode.terminal.TextTable;
import io.palinode.terminal.TextTable.Align;
import java.io.PrintWriter;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Alerts to operators. */
@Command(
    name = "alert",
    mixinStandardHelpOptions = true,
    description = "Test the destinations of alerts to operators.",
    subcommands = AlertCommand.Test.class)
public final class AlertCommand {
  @Command(
      name = "test",
      mixinStandardHelpOptions = true,
      description = {
        "Send a test alert to each destination of '--alert', or to the named one, and show what"
            + " each answered. A named one must be allowed to predicates.",
        "Exit status 1 if one did not accept it."
      },
      footer = {
        "",
        "Example:  palinode alert test",
        "          palinode alert test slack:https://chat.example/hook"
      })
  static final class Test implements Callable<Integer> {
    @Parameters(
        arity = "0..1",
        paramLabel = "DESTINATION",
        description = "console, kafka:TOPIC or FORMAT:URL (default: each of '--alert').")
    private @Nullable String destination;

    @Mixin private ApiClient api = new ApiClient();
    @Spec private CommandSpec spec;

    @Override
    public Integer call() {
      TextTable table = new TextTable(Align.LEFT, List.of("DESTINATION", "DELIVERED", "ANSWER"));
      boolean areAllDelivered = true;
      for (JsonNode tested : api.post("/api/v1/alerts/test", body())) {
        boolean isDelivered = tested.path("delivered").asBoolean();
        areAllDelivered &= isDelivered;
        var unused =
            table.row(
                List.of(
                    tested.path("destination").asText(),
                    isDelivered ? "yes" : "no",
                    tested.path("answer").asText()));
      }
      PrintWriter out = spec.commandLine().getOut();
      out.print(table.render());
      out.flush();
      return areAllDelivered ? 0 : 1;
    }

    private String body() {
      ObjectNode body = JsonNodeFactory.instance.objectNode();
      return (destination == null ? body : body.put("destination", destination)).toString();
    }
  }
}
