package io.palinode.simulation.node;

import io.palinode.detector.binding.Version;
import io.palinode.detector.binding.WriteEvent;
import io.palinode.hvc.Hvc;
import io.palinode.hvc.HvcCodec;
import io.palinode.simulation.check.BrokenInvariant;
import io.palinode.simulation.check.Invariant;
import io.palinode.simulation.check.NodeIntervals;
import io.palinode.simulation.check.SingleChecks.LostUpdates.Seen;
import io.palinode.simulation.check.Watch;
import io.palinode.simulation.check.Write;
import io.palinode.simulation.store.Answer;
import io.palinode.simulation.store.Operation;
import io.palinode.simulation.store.Request;
import io.palinode.simulation.store.SeenByWriter;
import io.palinode.simulation.world.Texts;
import io.palinode.simulation.world.WatchedMutex;
import io.palinode.simulation.world.World;
import io.palinode.store.control.Command;
import io.palinode.voldemort.VoldemortRules;
import io.palinode.wire.v1.CandidateRecord;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** Compares what a node's detector says with what is on its disk, while it watches. */
final class WatchedIntervals {
  private final World world;
  private final NodeMachine machine;
  private final long incarnation;
  private final LongSupplier restoredEpoch;
  private final NodeIntervals said;
  private boolean watching;
  private boolean beginning;
  private long epoch = -1;

  /** That the detector has found since it watches; a stored record does not show any. */
  private final Set<String> lostUpdates = new HashSet<>();

  /** Versions that clients have read as old ones, until the next write without them. */
  private final Set<String> staleReads = new HashSet<>();

  private final boolean isOfLostUpdates;
  private final boolean isOfOperations;
  private List<Version> before = List.of();

  /** By the writer of the put that is carried out; null: it does not state that. */
  private @Nullable Seen seen;

  /** Of the predicate; 0: there is none. */
  private long version;

  /**
   * @param restoredEpoch from which plan the records are, see {@link
   *     io.palinode.store.binding.UndoLog#restoredEpoch}
   */
  WatchedIntervals(World world, NodeMachine machine, long incarnation, LongSupplier restoredEpoch) {
    this.world = world;
    this.machine = machine;
    this.incarnation = incarnation;
    this.restoredEpoch = restoredEpoch;
    this.isOfLostUpdates = world.shape().watched().isOfLostUpdates();
    this.isOfOperations = world.shape().watched().isOfOperations();
    this.said = new NodeIntervals(machine.id(), world.shape().candidates().isRingSmall());
  }

  /** The detector is to look for this version; what it knew of others is forgotten. */
  void watches(long newVersion) {
    version = newVersion;
    forget();
  }

  private void forget() {
    said.reset();
    lostUpdates.clear();
    staleReads.clear();
  }

  void before(Command command) {
    if (command instanceof Command.Watch watch && watch.epoch() > epoch) {
      epoch = watch.epoch();
      beginning = true;
      forget();
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
      if (!watching) {
        said.requireOpen(List.of());
      } else if (!world.shape().candidates().isRingSmall()) {
        requireSame();
      }
    }
  }

  void said(CandidateRecord record) {
    // What was held up in the ring may be of the epoch before.
    if (isCurrent(record)) {
      said.said(record);
    }
  }

  void refused(CandidateRecord record) {
    if (isCurrent(record)) {
      said.refused(record);
    }
  }

  private boolean isCurrent(CandidateRecord record) {
    long of =
        record.hasOpened()
            ? record.getOpened().getInterval().getPredicateVersion()
            : record.getClosed().getInterval().getPredicateVersion();
    return record.getEpoch() == epoch && of == version;
  }

  /** All that there was until now is said, and sent. */
  void publishedAll() {
    if (watching && !beginning) {
      requireSame();
    }
  }

  /** The node is about to carry out this request. */
  void begins(Request asked) {
    if (isOfLostUpdates && asked.operation() instanceof Operation.Put put) {
      before = world.stored(machine.id(), put.key());
      SeenByWriter of = asked.isCopyAt(machine.id()) ? null : put.seen();
      seen = of == null ? null : of.inFull();
    }
  }

  /** The store passed a write to the detector. */
  void observed(WriteEvent event) {
    String key = new String(event.key().key(), StandardCharsets.UTF_8);
    Version written = event.written();
    if (isOfLostUpdates && written != null) {
      world.lostUpdates().require(before, event, seen);
      if (event.unseen() != null) {
        lostUpdates.add(name(key, written));
      }
    }
    staleReads.removeIf(
        read ->
            read.startsWith(key + "@")
                && event.siblings().stream().noneMatch(each -> name(key, each).equals(read)));
    if (watching && version > 0) {
      world
          .detection()
          .wrote(new Write(watch(), subject(key), isOfOperations ? null : WatchedMutex.IN, event));
    }
  }

  /** Each stale read that the node has not refused is an interval, if it is not open already. */
  void answered(Request asked, Answer made) {
    if (made.isRefused() || !(asked.operation() instanceof Operation.StaleRead read)) {
      return;
    }
    requireWatched();
    String old = name(read.key(), VoldemortRules.version(read.stale().read()));
    boolean isWatched = version > 0 && world.flags().contains(read.key());
    boolean isTrue = world.shape().watched().isMadeTrueBy(read.stale());
    if (isWatched && isTrue && staleReads.add(old)) {
      Hvc at = HvcCodec.decode(made.context().getHvc().toByteArray());
      world.detection().readStale(watch(), subject(read.key()), old, at);
    }
  }

  private Watch watch() {
    return new Watch(machine.id(), incarnation, epoch, version);
  }

  private static Write.Subject subject(String key) {
    return new Write.Subject(WatchedMutex.instance(key), WatchedMutex.term(key));
  }

  /** A write, or the statement of a read, was accepted. */
  void requireWatched() {
    if (!watching) {
      throw new BrokenInvariant(
          Invariant.INTERVALS, "node " + machine.id() + " accepts what it does not watch");
    }
  }

  /** A request was answered. */
  void wrote() {
    if (watching && !world.shape().candidates().isRingSmall()) {
      requireSame();
    }
  }

  private void requireSame() {
    List<String> holding = new ArrayList<>(staleReads);
    for (String key : version == 0 ? List.<String>of() : world.flags()) {
      for (Version version : world.stored(machine.id(), key)) {
        if (isOfOperations
            ? lostUpdates.contains(name(key, version))
            : Texts.value(version).equals(WatchedMutex.IN)) {
          holding.add(name(key, version));
        }
      }
    }
    said.requireOpen(holding);
  }

  private static String name(String key, Version version) {
    return Write.versionOf(key, version.clock(), version.timestampMs());
  }
}
