package io.palinode.simulation.world;

import io.palinode.hvc.Epsilon;
import io.palinode.hvc.Hlc;
import io.palinode.orchestrator.policy.RollbackSettings;
import io.palinode.retroscope.WindowLogConfig;
import io.palinode.simulation.environment.Dice;
import io.palinode.simulation.store.Replication;
import io.palinode.store.node.ClockBounds;
import io.palinode.store.node.NodeSettings;
import java.time.Duration;

/**
 * What a run is a run of, drawn from its seed: how many nodes, clients and replicas, and what the
 * predicate asks for. Times are a tenth or so of production's, in the same proportions.
 *
 * @param affected whether rollbacks undo only what came of the witnesses; not drawn
 * @param changes how often the predicate is applied, changed or deleted while the cluster runs
 */
public record Shape(
    Replication replication,
    Clients clients,
    Candidates candidates,
    WatchedMutex watched,
    boolean affected,
    int changes) {
  /**
   * What is not drawn.
   *
   * @param affected whether rollbacks undo only what came of the witnesses
   */
  public record Variation(boolean affected, Form form) {
    public static final Variation NONE = new Variation(false, Form.ALL_OF);
  }

  /**
   * What clients do.
   *
   * @param deletes whether they delete keys now and then
   * @param repairs whether they send nodes what a get of several has found missing there
   */
  public record Clients(int count, boolean nearestFirst, boolean deletes, boolean repairs) {}

  /**
   * The way of candidates.
   *
   * @param partitions of their topic
   * @param ringSlots of each node's ring
   * @param skipAfter how long judgement waits for a silent node, in HLC units
   */
  public record Candidates(int partitions, int ringSlots, long skipAfter) {
    static final long NEVER = Long.MAX_VALUE;

    public boolean skips() {
      return skipAfter != NEVER;
    }

    /** Whether a node's ring overflows when its sender is held up for a while. */
    public boolean isRingSmall() {
      return ringSlots <= RING_SLOTS_SMALL;
    }
  }

  public static final long EPSILON_MICROS = 10_000;
  public static final long REQUEST_TIMEOUT_MICROS = 300_000;
  static final Duration CONVERGENCE_WINDOW = Duration.ofSeconds(1);
  static final Duration MAX_DRIFT = Duration.ofMillis(500);

  static final NodeSettings SETTINGS =
      NodeSettings.of(Epsilon.ofMicros(EPSILON_MICROS))
          .withClocks(new ClockBounds(Epsilon.ofMicros(EPSILON_MICROS), MAX_DRIFT))
          .withWindowLog(new WindowLogConfig(Duration.ofMinutes(1), 1L << 20))
          .withConvergenceWindow(CONVERGENCE_WINDOW);

  private static final long SKIP_AFTER_MICROS_MIN = 400_000;
  private static final long SKIP_AFTER_MICROS_MAX = 1_500_000;
  private static final int RING_SLOTS = 4_096;
  private static final int RING_SLOTS_SMALL = 16;

  /**
   * @param wishes for what came later: what it draws changes nothing else of a run
   */
  static Shape draw(Dice dice, Dice wishes, Variation variation) {
    boolean affected = variation.affected();
    int nodes = dice.percent(70) ? 3 : (int) dice.between(2, 4);
    int replicas = dice.percent(70) ? nodes : (int) dice.between(2, nodes);
    int writes = dice.percent(70) ? 1 : (int) dice.between(1, replicas);
    Wish wish = Wish.draw(wishes);
    boolean isSmall = wishes.percent(40);
    int slots = isSmall ? (int) wishes.between(4, RING_SLOTS_SMALL) : RING_SLOTS;
    int reads = wishes.percent(70) ? 1 : (int) wishes.between(1, replicas);
    boolean deletes = wishes.percent(40) && !affected;
    int changes = wishes.percent(30) && !affected ? (int) wishes.between(1, 4) : 0;
    boolean repairs = wishes.percent(50) && reads > 1 && !affected;
    long skipAfter =
        wishes.percent(25)
            ? Hlc.ofMicros(wishes.between(SKIP_AFTER_MICROS_MIN, SKIP_AFTER_MICROS_MAX))
            : Candidates.NEVER;
    int clients = (int) dice.between(2, 3);
    int partitions = (int) dice.between(1, 2);
    boolean nearestFirst = dice.percent(50);
    return new Shape(
        new Replication(nodes, replicas, reads, writes),
        new Clients(clients, nearestFirst, deletes, repairs),
        new Candidates(partitions, slots, skipAfter),
        watched(dice, wish, variation),
        affected,
        changes);
  }

  public int nodes() {
    return replication.nodes();
  }

  private static WatchedMutex watched(Dice dice, Wish wish, Variation variation) {
    WatchedMutex drawn = dice.one(WatchedMutex.ALL).wishing(wish).in(variation.form());
    return variation.affected() ? drawn.affectingOnlySome() : drawn;
  }

  public RollbackSettings rollback() {
    return new RollbackSettings(
        nodes(),
        6,
        Duration.ofSeconds(1),
        Duration.ofMillis(50),
        Duration.ofMillis(500),
        Duration.ofMillis(1_000));
  }

  @Override
  public String toString() {
    return "nodes=%d clients=%d N=%d R=%d W=%d partitions=%d routing=%s ring=%d %s%s%s%s%s%s"
        .formatted(
            nodes(),
            clients.count(),
            replication.replicas(),
            replication.reads(),
            replication.writes(),
            candidates.partitions(),
            clients.nearestFirst() ? "nearest-first" : "preference-list",
            candidates.ringSlots(),
            watched,
            affected ? " scope=affected" : "",
            clients.deletes() ? " deletes" : "",
            changes > 0 ? " changes=" + changes : "",
            clients.repairs() ? " repairs" : "",
            candidates.skips() ? " skip-after=" + Hlc.micros(candidates.skipAfter()) : "");
  }
}
