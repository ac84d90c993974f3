package io.palinode.benchmarks.hazelcast;

import io.palinode.benchmarks.Side;
import io.palinode.benchmarks.Spread;
import io.palinode.benchmarks.hazelcast.HazelcastBenchmark.Parts;
import io.palinode.benchmarks.hazelcast.HazelcastBenchmark.Size;
import io.palinode.benchmarks.stock.AgentBenchmark.Setting;
import io.palinode.benchmarks.stock.LoadProgram;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.ToDoubleFunction;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Snapshots of a watched map, which clients write meanwhile: what these lose in the first and in
 * the next round after each request, and how long it takes. And how far back the window-log of a
 * member reaches. For one thread.
 */
public final class HazelcastSnapshots {
  private static final String MAP = "watched";
  private static final int WRITE_PERCENT = 100;

  /** A client keeps the time of each operation of a lap. */
  private static final double LAP_SECONDS_MAX = 10;

  private final Setting setting;
  private final Plan plan;
  private final Size size;
  private final Parts parts;
  private final Consumer<String> progress;
  private int loads;

  /**
   * Which snapshots, and beside what.
   *
   * @param secondsBack snapshots in the past, one kind each
   * @param changesPerSecond of all clients together; 0: as many as they can
   */
  public record Plan(List<Integer> secondsBack, int changesPerSecond) {
    public Plan {
      secondsBack = List.copyOf(secondsBack);
      if (secondsBack.stream().anyMatch(seconds -> seconds < 1)) {
        throw new IllegalArgumentException("--back must be at least 1 second: " + secondsBack);
      }
      if (changesPerSecond < 0) {
        throw new IllegalArgumentException("--rate must not be negative: " + changesPerSecond);
      }
    }
  }

  /** Takes snapshots of all nodes, one at a time. */
  public interface Operator {
    /**
     * Asks for one, and returns before it is taken.
     *
     * @param secondsBack 0: now
     */
    void begin(int secondsBack);

    /** Waits for it, and removes it. Throws {@link IllegalStateException} if a node has no part. */
    Taken end() throws InterruptedException;
  }

  /**
   * A snapshot.
   *
   * @param keys of all nodes together
   * @param ms from the request until the last node has its part on disk
   */
  public record Taken(long keys, double ms) {
    static final Taken NOTHING = new Taken(0, 0);
  }

  /**
   * A kind of snapshot. Losses are parts of 1 of the throughput in the round before the request.
   *
   * @param secondsBack 0: of the moment of the request; null: none was taken, for comparison
   * @param taken medians
   * @param first what clients lose in the round after the request
   * @param next in the round after that
   */
  public record Kind(
      @Nullable Integer secondsBack,
      Taken taken,
      double operationsPerSecond,
      Spread first,
      Spread next) {}

  /**
   * What the window-log takes.
   *
   * @param bytesPerSecond of the member with the most
   * @param bytesPerChange of all members together
   */
  public record Log(double changesPerSecond, double bytesPerSecond, double bytesPerChange) {
    /** How far so many bytes of a member reach back, in seconds. */
    public double reachSeconds(long bytes) {
      return bytes / bytesPerSecond;
    }
  }

  /** What was measured. */
  public record Results(List<Kind> kinds, Log log) {
    public Results {
      kinds = List.copyOf(kinds);
    }
  }

  private record Round(Side before, Side first, Side next, Taken taken) {
    double lost(Side later) {
      return 1 - later.operationsPerSecond() / before.operationsPerSecond();
    }
  }

  /** What is measured with. */
  private record Rig(HazelcastCluster cluster, LoadProgram clients, Operator operator) {}

  /**
   * @param setting its share of writes does not count: clients write only
   * @param progress is given a line a step
   */
  public HazelcastSnapshots(
      Setting setting, Plan plan, Size size, Parts parts, Consumer<String> progress) {
    this.setting = setting;
    this.plan = plan;
    this.size = size;
    this.parts = parts;
    this.progress = progress;
  }

  /**
   * Throws {@link WindowLogFullException} if the window-log is full before the first snapshot, and
   * {@link IllegalStateException} if the agent did not cover all.
   */
  public Results run(Operator operator) throws IOException, InterruptedException {
    progress.accept("starting the cluster");
    HazelcastCluster.Agent agent = new HazelcastCluster.Agent(parts.agentJar(), parts.kafka(), MAP);
    try (HazelcastCluster cluster =
            HazelcastCluster.start(
                parts.hazelcast(), parts.data().resolve("members"), size, agent);
        LoadProgram clients =
            HazelcastClients.start(
                parts.hazelcast(), parts.data().resolve("clients"), cluster, setting.load())) {
      progress.accept("filling %s with %,d keys".formatted(MAP, setting.load().keys()));
      clients.run("fill " + MAP);
      if (plan.changesPerSecond() > 0) {
        clients.run("rate " + plan.changesPerSecond());
      }
      Rig rig = new Rig(cluster, clients, operator);
      Log log = warmUp(rig);
      Results results = new Results(measure(rig), log);
      cluster.requireCovered();
      return results;
    }
  }

  /** For as long as the first snapshots are to go back, at least. */
  private Log warmUp(Rig rig) throws IOException {
    int reach = plan.secondsBack().stream().mapToInt(Integer::intValue).max().orElse(0) + 1;
    double seconds = Math.max(reach, setting.warmUpSeconds());
    progress.accept("writing for %.0f s".formatted(seconds));
    String reachBefore = rig.cluster().reach();
    List<Long> before = rig.cluster().windowLogBytes();
    double changes = 0;
    int laps = (int) Math.ceil(seconds / LAP_SECONDS_MAX);
    for (int lap = 1; lap <= laps; lap++) {
      changes += round(rig, seconds / laps).operationsPerSecond() * seconds / laps;
      if (!rig.cluster().reach().equals(reachBefore)) {
        throw new WindowLogFullException(size.windowLogMiB(), lap * seconds / laps, seconds);
      }
    }
    List<Long> after = rig.cluster().windowLogBytes();
    List<Long> added =
        IntStream.range(0, size.members()).mapToObj(i -> after.get(i) - before.get(i)).toList();
    return new Log(
        changes / seconds,
        Collections.max(added) / seconds,
        added.stream().mapToLong(Long::longValue).sum() / changes);
  }

  private List<Kind> measure(Rig rig) throws IOException, InterruptedException {
    List<@Nullable Integer> kinds = new ArrayList<>(List.of(0));
    kinds.addAll(plan.secondsBack());
    kinds.add(null);
    Map<@Nullable Integer, List<Round>> rounds = new LinkedHashMap<>();
    for (int i = 1; i <= setting.rounds().rounds(); i++) {
      progress.accept("round %d of %d".formatted(i, setting.rounds().rounds()));
      for (Integer kind : kinds) {
        rounds.computeIfAbsent(kind, any -> new ArrayList<>()).add(round(rig, kind));
      }
    }
    List<Kind> results = new ArrayList<>();
    rounds.forEach((kind, all) -> results.add(kind(kind, all)));
    return results;
  }

  private static Kind kind(@Nullable Integer secondsBack, List<Round> rounds) {
    return new Kind(
        secondsBack,
        new Taken(
            Math.round(spread(rounds, round -> round.taken().keys()).median()),
            spread(rounds, round -> round.taken().ms()).median()),
        spread(rounds, round -> round.before().operationsPerSecond()).median(),
        spread(rounds, round -> round.lost(round.first())),
        spread(rounds, round -> round.lost(round.next())));
  }

  private static Spread spread(List<Round> rounds, ToDoubleFunction<Round> figure) {
    return Spread.of(rounds.stream().mapToDouble(figure).toArray());
  }

  private Round round(Rig rig, @Nullable Integer kind) throws IOException, InterruptedException {
    double seconds = setting.rounds().roundSeconds();
    // The first after a wait is slower.
    var unused = round(rig, seconds);
    Side before = round(rig, seconds);
    if (kind != null) {
      rig.operator().begin(kind);
    }
    Side first = round(rig, seconds);
    Side next = round(rig, seconds);
    return new Round(before, first, next, kind == null ? Taken.NOTHING : rig.operator().end());
  }

  private Side round(Rig rig, double seconds) throws IOException {
    long seed = setting.seed() + setting.load().clients() * (long) loads++;
    return rig.clients().round(MAP + " ", WRITE_PERCENT, 0, seconds, seed, rig.cluster()::cpuNanos);
  }
}
