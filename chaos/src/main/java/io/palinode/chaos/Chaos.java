package io.palinode.chaos;

import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/**
 * Kills parts by SIGKILL and freezes them, at random, and starts what is down again. What happens
 * is drawn from the seed; when it falls is up to the machine. For one thread, which calls {@link
 * #act} often.
 */
final class Chaos {
  private static final double FREEZE = 0.2;
  private static final double TWO_AT_ONCE = 0.15;
  private static final long DOWN_MILLIS_MAX = 8_000;
  private static final long FROZEN_MILLIS_MAX = 5_000;
  private static final long RESTART_MILLIS = 1_000;

  private final List<PartProcess> parts;
  private final Random random;
  private final long everyMillis;
  private final Map<PartProcess, Long> wakeAt = new LinkedHashMap<>();
  private final Map<String, Integer> kills = new LinkedHashMap<>();
  private final Map<String, Integer> freezes = new LinkedHashMap<>();
  private int ownEnds;
  private long nextMillis;

  /**
   * @param everyMillis the mean time between two
   */
  Chaos(List<PartProcess> parts, Random random, long everyMillis, long nowMillis) {
    this.parts = List.copyOf(parts);
    this.random = random;
    this.everyMillis = everyMillis;
    this.nextMillis = nowMillis + pause();
  }

  /** Does what is due. */
  void act(long nowMillis) throws IOException, InterruptedException {
    wake(nowMillis);
    if (nowMillis >= nextMillis) {
      nextMillis = nowMillis + pause();
      int victims = random.nextDouble() < TWO_AT_ONCE ? 2 : 1;
      for (int i = 0; i < victims; i++) {
        strike(parts.get(random.nextInt(parts.size())), nowMillis);
      }
    }
  }

  /** Everything runs again: thawed, or started, at once. */
  void heal() throws IOException, InterruptedException {
    wake(Long.MAX_VALUE);
  }

  /** Those that ended by themselves are started too, as a supervisor would. */
  void supervise(long nowMillis) throws IOException, InterruptedException {
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
      part.kill();
      kills.merge(part.name(), 1, Integer::sum);
      wakeAt.put(part, nowMillis + random.nextLong(DOWN_MILLIS_MAX));
    }
  }

  /** Exponentially distributed. */
  private long pause() {
    return (long) (-Math.log(1 - random.nextDouble()) * everyMillis);
  }

  Map<String, Integer> kills() {
    return kills;
  }

  Map<String, Integer> freezes() {
    return freezes;
  }

  /** How often a part ended that was not killed. */
  int ownEnds() {
    return ownEnds;
  }
}
