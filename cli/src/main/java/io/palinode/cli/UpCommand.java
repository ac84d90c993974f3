package io.palinode.cli;

import io.palinode.cli.options.AlertOptions;
import io.palinode.cli.options.ClusterFile;
import io.palinode.cli.options.DetectionOptions;
import io.palinode.cli.options.PredicateOptions;
import io.palinode.cli.options.StoresOption;
import io.palinode.cli.options.WindowLogOptions;
import io.palinode.cli.run.EpsilonOption;
import io.palinode.launcher.ControlPlane;
import io.palinode.launcher.PartsWatch;
import io.palinode.launcher.PastReads;
import io.palinode.launcher.StoreCluster;
import io.palinode.launcher.embedded.Ports;
import io.palinode.retroscope.disk.OwnerOnly;
import io.palinode.retroscope.disklog.DiskBound;
import io.palinode.store.restore.RestoreLimit;
import io.palinode.terminal.OnSignal;
import io.palinode.terminal.Refusal;
import io.palinode.terminal.StartProgress;
import io.palinode.terminal.StartStop;
import io.palinode.voldemort.bdb.DataFolder;
import io.palinode.voldemort.cluster.Cluster;
import io.palinode.voldemort.cluster.Node;
import io.palinode.voldemort.cluster.StoreDefinition;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Starts a cluster that stays up. */
@Command(
    name = "up",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Start a watched cluster on this machine and keep it up until Ctrl-C: store nodes, Kafka, the"
          + " detection job, the orchestrator.",
      "Store node i listens on port P+i, the API on P+100, Kafka on P+101. A restart on the same"
          + " data folder continues with its data.",
      ""
    },
    footer = {
      "",
      "Example:",
      "  palinode up --nodes 3 --data ./palinode-data",
      "  palinode up --cluster cluster.xml --stores stores.xml",
      "  palinode apply -f edge-mutex.yaml      (in another terminal)",
      "  palinode put cs_1_2_1 1"
    })
final class UpCommand implements Callable<Integer> {
  static final int API_OFFSET = 100;
  static final int KAFKA_OFFSET = 101;
  private static final int NODES_MAX = 64;
  private static final int PORT_MAX = 65_535;

  @Option(
      names = "--nodes",
      defaultValue = "3",
      paramLabel = "N",
      description = "Number of store nodes (default: ${DEFAULT-VALUE}).")
  private int nodes;

  @Option(
      names = "--data",
      defaultValue = "palinode-data",
      paramLabel = "DIR",
      description = "The folder for all data (default: ./${DEFAULT-VALUE}).")
  private Path data = Path.of("");

  @Option(
      names = "--port-base",
      defaultValue = "6666",
      paramLabel = "P",
      description = "The first port (default: ${DEFAULT-VALUE}).")
  private int portBase;

  @Option(
      names = "--cluster",
      paramLabel = "FILE",
      description =
          "A cluster.xml of Voldemort, instead of --nodes: its hosts, ports and partitions. All"
              + " hosts must be this machine. --port-base still gives the ports of the API and of"
              + " Kafka.")
  private @Nullable Path clusterFile;

  @Mixin private StoresOption stores = new StoresOption();

  @Mixin private EpsilonOption epsilon = new EpsilonOption();

  @Mixin private WindowLogOptions windowLog = new WindowLogOptions();
  @Mixin private DetectionOptions detection = new DetectionOptions();
  @Mixin private PredicateOptions predicates = new PredicateOptions();
  @Mixin private AlertOptions alerts = new AlertOptions();

  @Spec private CommandSpec spec;

  @Override
  @SuppressWarnings("try") // A resource for its close alone.
  public Integer call() throws IOException, InterruptedException {
    Refusal.requireIn("--port-base", portBase, 1, PORT_MAX - KAFKA_OFFSET);
    Cluster layout = layout();
    int nodes = layout.nodes().size();
    DiskBound past = windowLog.bound();
    RestoreLimit restores = windowLog.restores(nodes);
    ControlPlane.Settings settings =
        new ControlPlane.Settings(
            detection.settings(),
            predicates.limits(),
            alerts.settings(),
            PastReads.of(StoreCluster.addresses(layout)));
    List<StoreDefinition> definitions = stores.definitions(nodes);
    requireFolder();
    requireFreePorts(layout);
    claimNodeFolders(nodes);
    PrintWriter out = spec.commandLine().getOut();
    PrintWriter err = spec.commandLine().getErr();

    say(err, "starting Kafka, the detection job and the orchestrator");
    StartStop stop = new StartStop(Thread.currentThread());
    // What was acknowledged is on disk when all is closed, and what was queued is sent.
    try (OnSignal onSignal = OnSignal.does(stop::now);
        StartProgress progress =
            StartProgress.of(
                "starting Kafka, the detection job and the orchestrator", line -> say(err, line));
        ControlPlane plane =
            ControlPlane.start(
                data,
                nodes,
                epsilon.value(),
                settings,
                new ControlPlane.Ports(portBase + API_OFFSET, portBase + KAFKA_OFFSET),
                line -> say(err, line));
        StoreCluster cluster =
            StoreCluster.start(
                layout,
                definitions,
                data,
                past,
                node -> {
                  progress.step("starting node " + node.nodeId());
                  return node.with(defaults -> defaults.withRestores(restores));
                },
                epsilon.value(),
                plane.watch(),
                plane.registry());
        PartsWatch watch = PartsWatch.start(plane, cluster, line -> say(err, line))) {
      progress.close();
      print(out, plane, cluster, definitions);
      var unused = stop.await(StartProgress.NO_LIMIT);
      say(err, "stopping");
    } catch (RuntimeException e) {
      if (!stop.isAsked()) {
        throw e;
      }
      say(err, "stopped before everything had started");
    }
    return 0;
  }

  private Cluster layout() throws IOException {
    Path file = clusterFile;
    if (file == null) {
      Refusal.requireIn("--nodes", nodes, 1, NODES_MAX);
      return StoreCluster.layout(IntStream.range(0, nodes).mapToObj(i -> portBase + i).toList());
    }
    if (spec.commandLine().getParseResult().hasMatchedOption("--nodes")) {
      throw new Refusal("--cluster gives the number of nodes: leave --nodes out");
    }
    Cluster cluster = ClusterFile.read(file);
    Refusal.requireIn("the nodes of " + file, cluster.nodes().size(), 1, NODES_MAX);
    ClusterFile.requireHere(file, cluster);
    return cluster;
  }

  private void print(
      PrintWriter out,
      ControlPlane plane,
      StoreCluster cluster,
      List<StoreDefinition> definitions) {
    for (int i = 0; i < cluster.size(); i++) {
      out.println("node " + i + "   " + cluster.addresses().get(i));
    }
    out.println("api      " + plane.apiUrl());
    out.println("metrics  " + plane.apiUrl() + "/metrics");
    out.println("kafka    " + plane.kafkaAddress());
    out.println("data     " + data.toAbsolutePath().normalize());
    for (StoreDefinition store : definitions) {
      out.println(
          "store    %s (N=%d R=%d W=%d)"
              .formatted(
                  store.name(),
                  store.replicationFactor(),
                  store.requiredReads(),
                  store.requiredWrites()));
    }
    out.println("ready; Ctrl-C stops");
    out.flush();
  }

  private void requireFolder() {
    try {
      OwnerOnly.createFolders(data);
    } catch (IOException e) {
      throw new Refusal(
          "the data folder cannot be made (%s): choose another with --data".formatted(e), e);
    }
  }

  /**
   * The nodes do it again; done here, a refusal comes before anything has started. After the ports:
   * a folder keeps the number of nodes that it was claimed with.
   */
  private void claimNodeFolders(int nodes) {
    for (int node = 0; node < nodes; node++) {
      DataFolder.open(data, node, nodes).close();
    }
  }

  /** Those who listen check again; asked here, the answer comes before anything has started. */
  private void requireFreePorts(Cluster layout) {
    for (Node node : layout.nodes()) {
      requireFree("node " + node.id(), node.socketPort());
    }
    requireFree("the API", portBase + API_OFFSET);
    requireFree("Kafka", portBase + KAFKA_OFFSET);
  }

  private static void requireFree(String user, int port) {
    if (!Ports.isFree(port)) {
      throw new Refusal(
          "port %d, for %s, is in use: stop what uses it or choose another (--port-base, --cluster)"
              .formatted(port, user));
    }
  }

  private static void say(PrintWriter err, String line) {
    err.println(line);
    err.flush();
  }
}
