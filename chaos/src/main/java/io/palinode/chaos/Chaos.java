package io.palinode.chaos;

import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/**
 * Kills parts by SIGKILL and freezes them, at random, and starts what is down again. Also kills a
 * node right after it acknowledged a write, and all nodes at once. What happens is drawn from the
 * seed; when it falls is up to the machine. Thread-safe; one thread calls {@link #act} often.
 */
final class Chaos {
  private static final double FREEZE = 0.2;
  private static final double TWO_AT_ONCE = 0.15;
  private static final double AFTER_ACKNOWLEDGEMENT = 0.1;

  /** All nodes are killed at the third, and then at every fifth violation. */
  private static final int VIOLATIONS_PER_OUTAGE = 5;

  private static final int FIRST_OUTAGE = 3;
  private static final long DOWN_MILLIS_MAX = 8_000;
  private static final long FROZEN_MILLIS_MAX = 5_000;
  private static final long RESTART_MILLIS = 1_000;

  /** Some stay away for longer than a restore steps back at first. */
  private static final long AWAY_MILLIS_MAX = 20_000;

  /** Long enough to ask for the phase of a plan meanwhile. */
  private static final long ALL_DOWN_MILLIS_MIN = 2_000;

  private final List<PartProcess> parts;
  private final List<PartProcess> nodes;
  private final Random random;
  private final long everyMillis;
  private final Map<PartProcess, Long> wakeAt = new LinkedHashMap<>();
  private final Map<String, Integer> kills = new LinkedHashMap<>();
  private final Map<String, Integer> freezes = new LinkedHashMap<>();
  private int ownEnds;
  private int afterAcknowledgement;
  private int violations;
  private int allNodes;
  private boolean healed;
  private long nextMillis;

  /**
   * @param everyMillis the mean time between two
   */
  Chaos(List<PartProcess> parts, Random random, long everyMillis, long nowMillis) {
    this.parts = List.copyOf(parts);
    this.nodes = parts.stream().filter(part -> part.name().startsWith("node ")).toList();
    this.random = random;
    this.everyMillis = everyMillis;
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
        wakeAt.put(part, nowMillis + RESTART_MILLIS);
      }
    }
    wake(nowMillis);
  }

  private void wake(long nowMillis) throws IOException, InterruptedException {
    for (PartProcess part : List.copyOf(wakeAt.keySet())) {
      if (wakeAt.getOrDefault(part, 0L) <= nowMillis) {
        wakeAt.remove(part);
        if (part.isFrozen()) {
          part.thaw();
        } else {
          part.start();
        }
      }
    }
  }

  private void strike(PartProcess part, long nowMillis) throws IOException, InterruptedException {
    if (wakeAt.containsKey(part)) {
      return;
    }
    if (random.nextDouble() < FREEZE) {
      part.freeze();
      freezes.merge(part.name(), 1, Integer::sum);
      wakeAt.put(part, nowMillis + random.nextLong(FROZEN_MILLIS_MAX));
    } else {
      kill(part, nowMillis + random.nextLong(DOWN_MILLIS_MAX));
    }
  }

  private void kill(PartProcess part, long untilMillis) {
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
        Map.copyOf(kills), Map.copyOf(freezes), ownEnds, afterAcknowledgement, phases);
  }
}
