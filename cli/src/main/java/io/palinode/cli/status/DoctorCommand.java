package io.palinode.cli.status;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.palinode.orchestrator.rest.Views.FindingView;
import io.palinode.terminal.ApiClient;
import io.palinode.terminal.Output;
import io.palinode.terminal.Refusal;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Examines a cluster, or asks the agent in a stock Voldemort server how it is. */
@Command(
    name = "doctor",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Examine the cluster: Kafka and its topics, nodes, disks, clocks, the detection job and"
          + " alerts. Each fault has its fix.",
      "With --agent, check the agent in a running Voldemort server."
    },
    footer = {
      "",
      "Exit status: 0 nothing is wrong; 1 something is. With --agent: 0 the server's writes are",
      "watched; 1 they are not, or a duty fails.",
      "",
      "Example:  palinode doctor",
      "          palinode doctor --agent 127.0.0.1:7700"
    })
public final class DoctorCommand implements Callable<Integer> {
  private static final Duration ANSWER_MAX = Duration.ofSeconds(5);

  /** The classes through which writes go; the others are loaded with the first request. */
  private static final List<String> WOVEN_AT_START =
      List.of(
          "voldemort.store.bdb.BdbStorageEngine",
          "voldemort.store.StoreBinaryFormat",
          "voldemort.server.storage.StorageService");

  @Option(
      names = "--agent",
      paramLabel = "HOST:PORT",
      description = "Address of the agent: the server's host and the statusPort of agent.yaml.")
  private @Nullable String address;

  @Mixin private Output output = new Output();
  @Mixin private ApiClient api = new ApiClient();

  @Spec private CommandSpec spec = CommandSpec.create();

  @Override
  public Integer call() throws JsonProcessingException, InterruptedException {
    String agent = address;
    return agent == null ? examine() : agent(agent);
  }

  private int examine() {
    JsonNode answer = api.get("/api/v1/doctor");
    List<FindingView> findings = new ArrayList<>();
    answer.forEach(finding -> findings.add(api.view(finding, FindingView.class)));
    PrintWriter out = spec.commandLine().getOut();
    out.println(output.isJson() ? answer.toPrettyString() : FindingLines.of(findings));
    out.flush();
    return findings.stream().anyMatch(finding -> finding.level().equals("fault")) ? 1 : 0;
  }

  private int agent(String agent) throws JsonProcessingException, InterruptedException {
    String answer = ask(agent);
    JsonNode status = new ObjectMapper().readTree(answer);
    List<String> faults = faults(status);
    PrintWriter out = spec.commandLine().getOut();
    out.println(output.isJson() ? answer : text(status, faults));
    out.flush();
    return faults.isEmpty() ? 0 : 1;
  }

  private static String ask(String address) throws InterruptedException {
    try {
      HttpRequest request =
          HttpRequest.newBuilder(URI.create("http://" + address + "/status"))
              .timeout(ANSWER_MAX)
              .build();
      HttpClient client = HttpClient.newBuilder().connectTimeout(ANSWER_MAX).build();
      return client.send(request, HttpResponse.BodyHandlers.ofString()).body();
    } catch (IOException | IllegalArgumentException e) {
      throw new Refusal("no agent answers at --agent=" + address + ": " + e, e);
    }
  }

  public static List<String> faults(JsonNode status) {
    List<String> faults = new ArrayList<>(uncovered(status));
    if (status.hasNonNull("controlFailure")) {
      faults.add(
          "a control duty fails and is tried again each second; meanwhile all nodes are paused: %s. If the server's database has failed, free disk space and restart the server"
              .formatted(status.path("controlFailure").asText()));
    }
    return faults;
  }

  /** Why the server's writes are not covered; empty: they are. */
  private static List<String> uncovered(JsonNode status) {
    List<String> faults = new ArrayList<>();
    if (status.path("off").asBoolean()) {
      // The cause of all other faults.
      faults.add(
          "the agent has turned itself off (%s): this node is not watched, and a rollback cannot restore it; restart its server"
              .formatted(status.path("firstFailure").asText()));
      return faults;
    }
    if (!status.path("joined").asBoolean()) {
      faults.add(notJoined(status));
    } else if (!status.path("addedStores").isEmpty()) {
      faults.add(
          "stores were added while the server ran, and their writes are not observed: %s; restart each server of the cluster"
              .formatted(status.path("addedStores")));
    } else if (!status.path("covered").asBoolean()) {
      faults.add("its detector has stopped; see the server's standard error");
    }
    for (String type : WOVEN_AT_START) {
      if (!contains(status.path("woven"), type)) {
        faults.add("not woven: " + type);
      }
    }
    return faults;
  }

  private static String notJoined(JsonNode status) {
    return status.hasNonNull("notJoined")
        ? "it has not joined, and tries again every few seconds: "
            + status.path("notJoined").asText()
        : "it has not joined; see the server's standard error, and whether Kafka runs";
  }

  private static boolean contains(JsonNode texts, String wanted) {
    for (JsonNode text : texts) {
      if (text.asText().equals(wanted)) {
        return true;
      }
    }
    return false;
  }

  private static String text(JsonNode status, List<String> faults) {
    List<String> lines = new ArrayList<>();
    lines.add(
        "node        %s, incarnation %s, epoch %s%s"
            .formatted(
                status.path("node").asText("unknown"),
                status.path("incarnation").asText("unknown"),
                status.path("epoch").asText("unknown"),
                status.path("paused").asBoolean() ? ", paused" : ""));
    lines.add("voldemort   " + status.path("voldemort").asText());
    lines.add(
        "stores      watched %s, unwatched %s"
            .formatted(status.path("stores"), status.path("unwatchedStores")));
    lines.add(
        "writes      %s puts, %s deletes, of these %s by clients that send no clock"
            .formatted(
                status.path("puts").asText(),
                status.path("deletes").asText(),
                status.path("stock_writes").asText()));
    lines.add(
        "failures    %s %s"
            .formatted(status.path("failures").asText(), status.path("firstFailure").asText()));
    faults.forEach(fault -> lines.add("FAULT       " + fault));
    lines.add("coverage    " + (uncovered(status).isEmpty() ? "complete" : "NONE"));
    return String.join(System.lineSeparator(), lines);
  }
}
