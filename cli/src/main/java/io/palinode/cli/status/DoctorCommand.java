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

/** Examines a cluster, or asks the agent in a stock server how it is. */
@Command(
    name = "doctor",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Examine the cluster: Kafka and its topics, nodes, disks, clocks, the detection job and"
          + " alerts. Each fault has its fix.",
      "With --agent, check the agent in a running Voldemort server or Hazelcast member."
    },
    footer = {
      "",
      "Exit status: 0 nothing is wrong; 1 something is. With --agent: 0 its writes are"
          + " watched; 1 they are not, or a duty fails.",
      "",
      "Example:  palinode doctor",
      "          palinode doctor --agent 127.0.0.1:7700"
    })
public final class DoctorCommand implements Callable<Integer> {
  private static final Duration ANSWER_MAX = Duration.ofSeconds(5);
  private static final int OK = 200;

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
    AgentPage page = new AgentPage(new ObjectMapper().readTree(answer));
    PrintWriter out = spec.commandLine().getOut();
    out.println(output.isJson() ? answer : page.text());
    out.flush();
    return page.faults().isEmpty() ? 0 : 1;
  }

  private static String ask(String address) throws InterruptedException {
    try {
      HttpRequest request =
          HttpRequest.newBuilder(URI.create("http://" + address + "/status"))
              .timeout(ANSWER_MAX)
              .build();
      HttpClient client = HttpClient.newBuilder().connectTimeout(ANSWER_MAX).build();
      HttpResponse<String> answer = client.send(request, HttpResponse.BodyHandlers.ofString());
      if (answer.statusCode() != OK) {
        throw new Refusal("the agent at --agent=%s refuses: %s".formatted(address, answer.body()));
      }
      return answer.body();
    } catch (IOException | IllegalArgumentException e) {
      throw new Refusal("no agent answers at --agent=" + address + ": " + e, e);
    }
  }
}
