package io.palinode.simulation.client;

import io.palinode.detector.binding.Version;
import io.palinode.simulation.store.SimulatedStore;
import io.palinode.simulation.world.World;
import io.palinode.voldemort.VoldemortRules;
import io.palinode.voldemort.client.session.EpochView;
import io.palinode.voldemort.client.session.SessionReads;
import io.palinode.voldemort.client.session.SessionReads.Stale;
import io.palinode.voldemort.client.session.SessionReads.Start;
import io.palinode.voldemort.protocol.VectorClock;
import io.palinode.voldemort.protocol.Versioned;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;

/**
 * Production's search for stale reads, of one process of a client. What it finds goes to the
 * checks. Without vector clocks it finds nothing.
 */
final class JudgedReads {
  private static final int KEYS_MAX = 100;

  private final World world;
  private final int client;
  private final SessionReads reads = new SessionReads(KEYS_MAX);

  JudgedReads(World world, int client) {
    this.world = world;
    this.client = client;
  }

  Start begin(long epoch) {
    return reads.begin(epoch);
  }

  /**
   * @param epochs of the answers
   */
  void read(String key, Start start, Set<Long> epochs, List<Version> versions) {
    List<Versioned> returned = new ArrayList<>();
    for (Version version : versions) {
      VectorClock clock = world.store().clock(version);
      if (clock != null) {
        returned.add(new Versioned(version.value(), clock));
      }
    }
    long epoch = epochs.size() == 1 ? epochs.iterator().next() : EpochView.UNKNOWN;
    byte[] of = key.getBytes(StandardCharsets.UTF_8);
    for (Stale stale : reads.read(SimulatedStore.NAME, of, start, epoch, returned)) {
      Version later = VoldemortRules.version(new Versioned(new byte[0], stale.before()));
      Version read = VoldemortRules.version(stale.read());
      world.clientChecks().readOld(client, epoch, key, read, stale.isWritten() ? later : null);
    }
  }

  void wrote(String key, Start start, long epoch, Version version) {
    VectorClock clock = world.store().clock(version);
    if (clock != null) {
      byte[] of = key.getBytes(StandardCharsets.UTF_8);
      reads.wrote(SimulatedStore.NAME, of, start, epoch, Objects.requireNonNull(clock));
    }
  }

  void deleted(String key) {
    reads.deleted(SimulatedStore.NAME, key.getBytes(StandardCharsets.UTF_8));
  }
}
