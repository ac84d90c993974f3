package io.palinode.examples.tasks;

import io.palinode.examples.graph.Graph;
import io.palinode.examples.graph.Graphs;
import io.palinode.examples.graph.Partition;
import io.palinode.voldemort.client.ClientConfig;
import io.palinode.voldemort.client.ClientConfig.Routing;
import io.palinode.voldemort.client.StoreClient;
import java.io.PrintStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ExecutionException;

/** Runs a program on a running cluster, with three clients, and checks the result. */
public final class Main {
  private static final String USAGE =
      "use: Main matching|communities|weather GRAPH HOST:PORT [SECONDS]; GRAPH is one of "
          + Graphs.FORMS;
  private static final int CLIENTS = 3;
  private static final Map<String, VertexProgram> PROGRAMS =
      Map.of(
          "matching", new Matching(), "communities", new Communities(10), "weather", new Weather());
  private static final Duration TIME_DEFAULT = Duration.ofSeconds(10);

  private Main() {}

  /** Exits with 1 if the run does not equal a sequential one, with 2 for an unknown program. */
  public static void main(String... args) throws InterruptedException, ExecutionException {
    VertexProgram program = args.length == 0 ? null : PROGRAMS.get(args[0]);
    if (program == null || args.length < 3 || args.length > 4) {
      System.err.println(USAGE);
      System.exit(2);
      return;
    }
    Duration time = args.length == 4 ? Duration.ofSeconds(Long.parseLong(args[3])) : TIME_DEFAULT;
    Graph graph = Graphs.parse(args[1]);
    System.exit(run(args[0], program, graph, args[2], time) ? 0 : 1);
  }

  private static boolean run(
      String name, VertexProgram program, Graph graph, String address, Duration time)
      throws InterruptedException, ExecutionException {
    PrintStream out = System.out;
    List<StoreClient> clients = new ArrayList<>();
    try {
      for (int i = 0; i < CLIENTS; i++) {
        ClientConfig config = ClientConfig.of(List.of(address), name + "-" + i);
        clients.add(StoreClient.connect(config.withRouting(Routing.nearestFirst(i))));
      }
      Partition partition = Partition.of(graph, CLIENTS);
      out.printf("%s: %d edges with two clients%n", graph, partition.crossEdges().size());
      long started = System.nanoTime();
      String run = name + "-" + Long.toString(System.currentTimeMillis(), Character.MAX_RADIX);
      VertexJob job = new VertexJob(program, partition, "default", run);
      VertexRun.Result result =
          VertexRun.run(job, clients, () -> System.nanoTime() - started > time.toNanos());
      out.printf(
          Locale.ROOT,
          "%.1f s, %d tasks, %d rollbacks%n",
          (System.nanoTime() - started) / 1e9,
          result.tasks().size(),
          result.rollbacks());
      return report(program, graph, result, out);
    } finally {
      clients.forEach(StoreClient::close);
    }
  }

  private static boolean report(
      VertexProgram program, Graph graph, VertexRun.Result result, PrintStream out) {
    SequentialRun sequential = new SequentialRun(program, graph);
    boolean equal =
        sequential.differing(result.tasks()).isEmpty()
            && sequential.values().equals(result.values());
    out.println("equals a sequential run: " + (equal ? "yes" : "NO"));
    if (program instanceof Matching) {
      List<String> problems = Matching.problems(graph, result.values());
      out.println("a maximal matching: " + (problems.isEmpty() ? "yes" : "NO, " + problems));
    }
    return equal;
  }
}
