package io.palinode.chaos;

import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Consumer;

/**
 * Kills parts by SIGKILL and freezes them, fills the disks of nodes, and starts what is down again,
 * nodes with another clock. Also kills a node right after it acknowledged a write, all nodes at
 * once, and an orchestrator right after a coverage gap. What happens is drawn from the seed; when
 * it falls is up to the machine. Thread-safe; one thread calls {@link #act} often.
 */
final class Chaos {
  private static final double FREEZE = 0.2;
  private static final double TWO_AT_ONCE = 0.15;
  private static final double AFTER_ACKNOWLEDGEMENT = 0.1;
  private static final double FULL_DISK = 0.25;
  private static final double AFTER_GAP = 0.5;

  /** All nodes are killed at the third, and then at every fifth violation. */
  private static final int VIOLATIONS_PER_OUTAGE = 5;

  private static final int FIRST_OUTAGE = 3;
  private static final long DOWN_MILLIS_MAX = 8_000;
  private static final long FROZEN_MILLIS_MAX = 5_000;
  private static final long FULL_MILLIS_MAX = 20_000;
  private static final long RESTART_MILLIS = 1_000;

  /** Some stay away for longer than a restore steps back at first. */
  private static final long AWAY_MILLIS_MAX = 20_000;

  /** Long enough to ask for the phase of a plan meanwhile. */
  private static final long ALL_DOWN_MILLIS_MIN = 2_000;

  private final List<PartProcess> parts;
  private final List<PartProcess> nodes;
  private final Random random;
  private final long everyMillis;
  private final Consumer<String> log;
  private final Map<PartProcess, Long> wakeAt = new LinkedHashMap<>();
  private final Map<Volume, Long> freeAt = new LinkedHashMap<>();
  private final Map<String, Integer> kills = new LinkedHashMap<>();
  private final Map<String, Integer> freezes = new LinkedHashMap<>();
  private int ownEnds;
  private int afterAcknowledgement;
  private int afterGap;
  private int fullDisks;
  private int violations;
  private int allNodes;
  private boolean healed;
  private long nextMillis;

  /**
   * @param everyMillis the mean time between two
   * @param log takes a line for each
   */
  Chaos(
      List<PartProcess> parts,
      Random random,
      long everyMillis,
      long nowMillis,
      Consumer<String> log) {
    this.parts = List.copyOf(parts);
    this.nodes = parts.stream().filter(part -> part.name().startsWith("node ")).toList();
    this.random = random;
    this.everyMillis = everyMillis;
    this.log = log;
    this.nextMillis = nowMillis + pause();
  }

  /** Does what is due. */
  synchronized void act(long nowMillis) throws IOException, InterruptedException {
    wake(nowMillis);
    if (nowMillis >= nextMillis) {
      nextMillis = nowMillis + pause();
      int victims = random.nextDouble() < TWO_AT_ONCE ? 2 : 1;
      for (int i = 0; i < victims; i++) {
        strike(parts.get(random.nextInt(parts.size())), nowMillis);
      }
    }
  }

  /** Takes a node that has just acknowledged a write. Sometimes kills it before this returns. */
  synchronized void acknowledged(int node, long nowMillis) {
    PartProcess part = nodes.get(node);
    if (!healed && !wakeAt.containsKey(part) && random.nextDouble() < AFTER_ACKNOWLEDGEMENT) {
      afterAcknowledgement++;
      kill(part, nowMillis + random.nextLong(AWAY_MILLIS_MAX));
    }
  }

  /** A violation was made a moment ago. Kills all nodes at once after some of them. */
  synchronized void violated(long nowMillis) {
    violations++;
    if (healed || violations % VIOLATIONS_PER_OUTAGE != FIRST_OUTAGE) {
      return;
    }
    allNodes++;
    long until = nowMillis + ALL_DOWN_MILLIS_MIN + random.nextLong(DOWN_MILLIS_MAX);
    for (PartProcess node : nodes) {
      kill(node, Math.max(until, wakeAt.getOrDefault(node, 0L)));
    }
  }

  /** A coverage gap became known a moment ago. Sometimes kills an orchestrator. */
  synchronized void coverageLost(long nowMillis) {
    List<PartProcess> orchestrators =
        parts.stream().filter(part -> part.name().startsWith("orchestrator")).toList();
    PartProcess part = orchestrators.get(random.nextInt(orchestrators.size()));
    if (!healed && !wakeAt.containsKey(part) && random.nextDouble() < AFTER_GAP) {
      afterGap++;
      kill(part, nowMillis + random.nextLong(DOWN_MILLIS_MAX));
    }
  }

  /** How often all nodes were killed at once, if they are all still down; else 0. */
  synchronized int allNodesDown() {
    return nodes.stream().anyMatch(PartProcess::isAlive) ? 0 : allNodes;
  }

  /** Everything runs again: thawed, or started, at once. Nothing is killed after that. */
  synchronized void heal() throws IOException, InterruptedException {
    healed = true;
    wake(Long.MAX_VALUE);
  }

  /** Those that ended by themselves are started too, as a supervisor would. */
  synchronized void supervise(long nowMillis) throws IOException, InterruptedException {
    for (PartProcess part : parts) {
      if (!part.isAlive() && !wakeAt.containsKey(part)) {
        ownEnds++;
        log.accept(part.name() + " has ended by itself");
        wakeAt.put(part, nowMillis + RESTART_MILLIS);
      }
    }
    wake(nowMillis);
  }

  /** Nodes begin with another clock, within ε. */
  synchronized void start(PartProcess part) throws IOException {
    if (!nodes.contains(part)) {
      log.accept("start " + part.name());
      part.start(List.of());
      return;
    }
    int bound = ChaosCluster.CLOCK_OFFSET_MICROS_MAX;
    int offset = random.nextInt(-bound, bound + 1);
    log.accept("start %s with its clock %+d us off".formatted(part.name(), offset));
    part.start(List.of("--clock-offset-micros", Integer.toString(offset)));
  }

  private void wake(long nowMillis) throws IOException, InterruptedException {
    for (Volume volume : List.copyOf(freeAt.keySet())) {
      if (freeAt.getOrDefault(volume, 0L) <= nowMillis) {
        freeAt.remove(volume);
        volume.free();
        log.accept("the disk has room again");
      }
    }
    for (PartProcess part : List.copyOf(wakeAt.keySet())) {
      if (wakeAt.getOrDefault(part, 0L) <= nowMillis) {
        wakeAt.remove(part);
        if (part.isFrozen()) {
          part.thaw();
          log.accept("thaw " + part.name());
        } else {
          start(part);
        }
      }
    }
  }

  private void strike(PartProcess part, long nowMillis) throws IOException, InterruptedException {
    Volume volume = part.volume();
    if (volume != null && freeAt.isEmpty() && random.nextDouble() < FULL_DISK) {
      fullDisks++;
      log.accept("fill the disk of " + part.name());
      volume.fill();
      freeAt.put(volume, nowMillis + random.nextLong(FULL_MILLIS_MAX));
      return;
    }
    if (wakeAt.containsKey(part)) {
      return;
    }
    if (random.nextDouble() < FREEZE) {
      log.accept("freeze " + part.name());
      part.freeze();
      freezes.merge(part.name(), 1, Integer::sum);
      wakeAt.put(part, nowMillis + random.nextLong(FROZEN_MILLIS_MAX));
    } else {
      kill(part, nowMillis + random.nextLong(DOWN_MILLIS_MAX));
    }
  }

  private void kill(PartProcess part, long untilMillis) {
    log.accept("kill " + part.name());
    part.kill();
    kills.merge(part.name(), 1, Integer::sum);
    wakeAt.put(part, untilMillis);
  }

  /** Exponentially distributed. */
  private long pause() {
    return (long) (-Math.log(1 - random.nextDouble()) * everyMillis);
  }

  /** What was done so far. {@code phases} is of the plan when all nodes were down. */
  synchronized ChaosReport.Strikes strikes(Map<String, Integer> phases) {
    return new ChaosReport.Strikes(
        Map.copyOf(kills),
        Map.copyOf(freezes),
        ownEnds,
        afterAcknowledgement,
        afterGap,
        fullDisks,
        phases);
  }
}
