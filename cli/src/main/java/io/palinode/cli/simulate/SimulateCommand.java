package io.palinode.cli.simulate;

import io.palinode.simulation.Simulation;
import io.palinode.simulation.exhaustive.EveryInterleaving;
import io.palinode.simulation.exhaustive.EveryInterleaving.Explored;
import io.palinode.simulation.store.StoreKind;
import io.palinode.simulation.world.Fault;
import io.palinode.terminal.Refusal;
import java.io.PrintWriter;
import java.util.Set;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Looks for runs in which something that must hold does not. */
@Command(
    name = "simulate",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Simulate whole clusters in virtual time, and check the invariants.",
      "",
      "A seed determines a run: nodes, clients, detection and orchestrator over a faulty network,"
          + " with bad clocks, crashes and full disks. The parts are the production code;"
          + " independent checks observe them.",
      ""
    },
    footer = {
      "",
      "How to read a trace: docs/develop/simulator.md.",
      "",
      "Exit status: 0 all invariants held; 1 one is broken.",
      "",
      "Examples:",
      "  palinode simulate --seeds 2000 --faults all",
      "  palinode simulate --seed 17 --trace",
      "  palinode simulate --seeds 500 --store last-write-wins",
      "  palinode simulate --exhaustive"
    })
public final class SimulateCommand implements Callable<Integer> {
  private static final long PROGRESS_NANOS = 1_000_000_000L;
  private static final int FAILURES_SHOWN = 20;

  /** What is to be run. */
  static final class Runs {
    @Option(names = "--seed", paramLabel = "N", description = "Run this seed.")
    private @Nullable Long seed;

    @Option(names = "--seeds", paramLabel = "COUNT", description = "Run this number of seeds.")
    private @Nullable Long seeds;

    @Option(
        names = "--exhaustive",
        description =
            "Instead of random runs: every order of the steps of two nodes, a client and the"
                + " orchestrator in a rollback, with one crash.")
    private boolean exhaustive;
  }

  @ArgGroup(multiplicity = "1")
  private Runs runs = new Runs();

  @Option(
      names = "--first-seed",
      defaultValue = "0",
      paramLabel = "N",
      description = "The first seed of --seeds (default: ${DEFAULT-VALUE}).")
  private long firstSeed;

  @Option(
      names = "--faults",
      defaultValue = "all",
      paramLabel = "LIST",
      description =
          "all, none, or some of crash,partition,slow,duplicate,skew,jump,disk,takeover,duty,away,"
              + "forge (default: ${DEFAULT-VALUE}). A seed with other faults is another run.")
  private String faults = "all";

  @Option(
      names = "--scope",
      defaultValue = "all",
      paramLabel = "SCOPE",
      description =
          "The scope of rollbacks: all or affected (default: ${DEFAULT-VALUE}). A seed with"
              + " another scope is another run.")
  private String scope = "all";

  @Option(
      names = "--store",
      defaultValue = "voldemort",
      paramLabel = "STORE",
      description =
          "The store of the nodes: voldemort, or last-write-wins, which has no vector clocks"
              + " (default: ${DEFAULT-VALUE}). A seed with another store is another run.")
  private String store = "voldemort";

  @Option(
      names = "--states-max",
      defaultValue = "1000000",
      paramLabel = "N",
      description =
          "With --exhaustive: the number of states after which it ends (default:"
              + " ${DEFAULT-VALUE}).")
  private long statesMax;

  @Option(names = "--trace", description = "With --seed: print each event.")
  private boolean trace;

  @Spec private CommandSpec spec = CommandSpec.create();

  @Override
  public Integer call() {
    // Disks that are full on purpose are no news. Read when the first of the simulated parts logs.
    System.getProperties().putIfAbsent("palinode.log", "off");
    if (runs.exhaustive) {
      return explore();
    }
    Set<Fault> wanted = faults();
    return runs.seed == null ? many(wanted) : one(wanted, runs.seed);
  }

  private Set<Fault> faults() {
    return Refusal.valid(() -> Fault.parse(faults));
  }

  private StoreKind store() {
    return Refusal.valid(() -> StoreKind.parse(store));
  }

  private Simulation simulation(Set<Fault> wanted) {
    Simulation simulation = new Simulation(wanted).of(store());
    return switch (scope) {
      case "all" -> simulation;
      case "affected" -> simulation.affectingOnlySome();
      default -> throw new Refusal("--scope must be all or affected: --scope=" + scope);
    };
  }

  private int one(Set<Fault> wanted, long seed) {
    PrintWriter out = spec.commandLine().getOut();
    Simulation.Result result = simulation(wanted).run(seed, trace ? out::println : null);
    out.println(text(result));
    out.flush();
    return result.broken() == null ? 0 : 1;
  }

  private int many(Set<Fault> wanted) {
    long seeds = runs.seeds == null ? 0 : runs.seeds;
    if (seeds < 1) {
      throw new Refusal("--seeds must be at least 1: --seeds=" + seeds);
    }
    PrintWriter out = spec.commandLine().getOut();
    Simulation simulation = simulation(wanted);
    long failures = 0;
    long plans = 0;
    long affected = 0;
    long reportedAt = System.nanoTime();
    for (long seed = firstSeed; seed < firstSeed + seeds; seed++) {
      Simulation.Result result = simulation.run(seed);
      plans += result.rollbacks().plans();
      affected += result.rollbacks().affected();
      if (result.broken() != null && ++failures <= FAILURES_SHOWN) {
        out.println(text(result));
        out.printf(
            "  palinode simulate --seed %d --faults %s --scope %s --store %s --trace%n",
            seed, Fault.format(wanted), scope, store);
      }
      if (System.nanoTime() - reportedAt > PROGRESS_NANOS) {
        reportedAt = System.nanoTime();
        reportProgress(seed - firstSeed + 1, seeds, plans, failures);
      }
    }
    out.printf("%,d seeds, %,d rollbacks, %,d failed%n", seeds, plans, failures);
    if (affected > 0) {
      out.printf("%,d of the rollbacks undid only some%n", affected);
    }
    out.flush();
    return failures == 0 ? 0 : 1;
  }

  private void reportProgress(long done, long seeds, long plans, long failures) {
    PrintWriter err = spec.commandLine().getErr();
    err.printf("%,d of %,d seeds, %,d rollbacks, %,d failed%n", done, seeds, plans, failures);
    err.flush();
  }

  private static String text(Simulation.Result result) {
    String ran =
        "seed %d: %d rollbacks, %d stepped back, %d halted, %d violations, %d acknowledged writes"
            .formatted(
                result.seed(),
                result.rollbacks().plans(),
                result.rollbacks().stepsBack(),
                result.rollbacks().halts(),
                result.violations(),
                result.acknowledgements());
    return result.broken() == null
        ? ran
        : ran + "%n  BROKEN %s".formatted(result.broken().getMessage());
  }

  private int explore() {
    PrintWriter out = spec.commandLine().getOut();
    PrintWriter err = spec.commandLine().getErr();
    Explored explored =
        new EveryInterleaving()
            .explore(
                statesMax,
                states -> {
                  err.printf("%,d states%n", states);
                  err.flush();
                });
    out.printf(
        "%,d states, %,d of them final%s%n",
        explored.states(),
        explored.ends(),
        explored.all() || explored.broken() != null ? "" : "; there are more, see --states-max");
    if (explored.broken() != null) {
      out.println("BROKEN " + explored.broken());
      explored.path().forEach(step -> out.println("  " + step));
    }
    out.flush();
    return explored.broken() == null ? 0 : 1;
  }
}
