package io.palinode.simulation;

import io.palinode.detector.Command;
import io.palinode.simulation.check.BrokenInvariant;
import io.palinode.simulation.check.Invariant;
import io.palinode.simulation.check.NodeIntervals;
import io.palinode.voldemort.protocol.Versioned;
import io.palinode.wire.v1.CandidateRecord;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.function.LongSupplier;

/** Compares what a node's detector says with what is on its disk, while it watches. */
final class WatchedIntervals {
  private final World world;
  private final NodeMachine machine;
  private final LongSupplier restoredEpoch;
  private final NodeIntervals said;
  private boolean watching;
  private boolean beginning;
  private long epoch = -1;

  /**
   * @param restoredEpoch from which plan the records are, see {@link
   *     io.palinode.detector.StoreBinding#restoredEpoch}
   */
  WatchedIntervals(World world, NodeMachine machine, LongSupplier restoredEpoch) {
    this.world = world;
    this.machine = machine;
    this.restoredEpoch = restoredEpoch;
    this.said = new NodeIntervals(machine.id());
  }

  void before(Command command) {
    if (command instanceof Command.Watch watch && watch.epoch() > epoch) {
      epoch = watch.epoch();
      beginning = true;
      said.reset();
    } else if (command instanceof Command.Restore
        || command instanceof Command.Keep
        || command instanceof Command.KeepAll
        || command instanceof Command.RestoreFrom
        || command instanceof Command.RestoreSome
        || command instanceof Command.ConvergeSome
        || command instanceof Command.Converge) {
      watching = false;
    }
  }

  void after(Command command) {
    // A repeat for the same epoch changes nothing, whatever the store has become meanwhile.
    if (command instanceof Command.Watch && beginning) {
      beginning = false;
      watching = restoredEpoch.getAsLong() <= epoch;
      if (watching) {
        requireSame();
      } else {
        said.requireOpen(List.of());
      }
    }
  }

  void said(CandidateRecord record) {
    said.said(record);
  }

  void refused(CandidateRecord record) {
    said.refused(record);
  }

  /** A write was accepted. */
  void requireWatched() {
    if (!watching) {
      throw new BrokenInvariant(
          Invariant.INTERVALS, "node " + machine.id() + " accepts a write that nobody watches");
    }
  }

  /** A request was answered. */
  void wrote() {
    if (watching) {
      requireSame();
    }
  }

  private void requireSame() {
    List<String> holding = new ArrayList<>();
    for (String key : world.flags()) {
      for (Versioned version : machine.stored(key)) {
        if (version.text().equals("1")) {
          holding.add(key + "@" + HexFormat.of().formatHex(version.clock().identityBytes()));
        }
      }
    }
    said.requireOpen(holding);
  }
}
