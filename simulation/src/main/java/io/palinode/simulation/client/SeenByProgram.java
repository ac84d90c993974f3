package io.palinode.simulation.client;

import io.palinode.detector.binding.Version;
import io.palinode.simulation.check.SingleChecks.LostUpdates.Seen;
import io.palinode.simulation.store.SeenByWriter;
import io.palinode.simulation.store.SimulatedStore;
import io.palinode.simulation.world.World;
import io.palinode.voldemort.client.session.RolledBack;
import io.palinode.voldemort.client.session.SeenVersions;
import io.palinode.voldemort.protocol.VectorClock;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What one process of a client has read and written: as production keeps it, and in full for the
 * checks. Needs vector clocks.
 */
final class SeenByProgram {
  private static final int KEYS_MAX = 100;

  private final World world;
  private final SeenVersions kept = new SeenVersions(KEYS_MAX);
  private final Map<String, InFull> inFull = new HashMap<>();

  SeenByProgram(World world) {
    this.world = world;
  }

  private record Own(Version version, long acceptedAt) {}

  private static final class InFull {
    /** Read, or tried to write. */
    private final List<Version> read = new ArrayList<>();

    private final List<Own> own = new ArrayList<>();

    /** By the last rollback: the next one may restore them. */
    private final List<Version> discarded = new ArrayList<>();

    private final List<Version> perhaps = new ArrayList<>();

    /** A rollback that discards an own write also discards what was read of it. */
    void read(Version version) {
      if (own.stream().noneMatch(each -> each.version().isSameWriteAs(version))) {
        read.add(version);
      }
    }

    void rolledBack(long target) {
      read.addAll(discarded);
      discarded.clear();
      own.stream()
          .filter(each -> each.acceptedAt() > target)
          .forEach(each -> discarded.add(each.version()));
      own.removeIf(each -> each.acceptedAt() > target);
    }

    Seen seen() {
      List<Version> surely = new ArrayList<>(read);
      own.forEach(each -> surely.add(each.version()));
      return new Seen(surely, List.copyOf(perhaps));
    }
  }

  private InFull of(String key) {
    return inFull.computeIfAbsent(key, k -> new InFull());
  }

  /** The program has this value. */
  void read(String key, Version version) {
    kept.read(SimulatedStore.NAME, bytes(key), List.of(clock(version)));
    of(key).read(version);
    of(key).perhaps.add(version);
  }

  /** A node is asked to write this. */
  void begins(String key, Version version) {
    kept.begins(SimulatedStore.NAME, bytes(key), clock(version));
    of(key).perhaps.add(version);
  }

  void wrote(String key, Version version, long acceptedAt) {
    kept.wrote(SimulatedStore.NAME, bytes(key), clock(version), acceptedAt);
    of(key).own.add(new Own(version, acceptedAt));
  }

  /**
   * A put has ended.
   *
   * @param begun what nodes were asked to write
   * @param tried those of them that a node may have
   */
  void ends(String key, List<Version> begun, List<Version> tried) {
    kept.read(SimulatedStore.NAME, bytes(key), tried.stream().map(this::clock).toList());
    kept.ends(SimulatedStore.NAME, bytes(key), begun.stream().map(this::clock).toList());
    tried.forEach(of(key)::read);
  }

  void rolledBack(RolledBack rolledBack) {
    kept.rolledBack(rolledBack);
    boolean isOne = rolledBack.toEpoch() == rolledBack.fromEpoch() + 1;
    long target = isOne && !rolledBack.restart() ? rolledBack.target() : Long.MAX_VALUE;
    inFull.values().forEach(each -> each.rolledBack(target));
  }

  /** Null if not all is known. */
  @Nullable SeenByWriter of(String key, List<Version> onTopOf) {
    List<VectorClock> clocks = kept.of(SimulatedStore.NAME, bytes(key));
    if (clocks == null) {
      return null;
    }
    List<VectorClock> read = onTopOf.stream().map(this::clock).toList();
    return new SeenByWriter(world.seams().stated(clocks, read), of(key).seen());
  }

  private VectorClock clock(Version version) {
    return Objects.requireNonNull(world.store().clock(version), "lost updates need clocks");
  }

  private static byte[] bytes(String key) {
    return key.getBytes(StandardCharsets.UTF_8);
  }
}
