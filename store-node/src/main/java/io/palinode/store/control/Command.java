package io.palinode.store.control;

import io.palinode.detector.binding.StoreKey;
import io.palinode.store.affected.Affected;
import io.palinode.store.affected.Extent;
import io.palinode.store.binding.MissedEpochs;
import io.palinode.store.binding.SequentialKeys;
import io.palinode.store.binding.UndoLog.KeyRecord;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A command of {@link NodeControl} for its node. Each may be repeated. */
public sealed interface Command {
  void execute(ControlExecution node);

  /** Refuse requests below the plan's epoch, and acknowledge that in the log. */
  record Pause(long epoch) implements Command {
    @Override
    public void execute(ControlExecution node) {
      node.pause(epoch);
    }
  }

  /** Reset the detector for this epoch, at a time after {@code clock}. */
  record Watch(long epoch, long clock) implements Command {
    @Override
    public void execute(ControlExecution node) {
      node.watch(epoch, clock);
    }
  }

  /** Serve requests of this epoch, and acknowledge that in the log. */
  record Serve(
      long epoch,
      long target,
      long sequentialUntilMicros,
      MissedEpochs missed,
      List<SequentialKeys> sequential)
      implements Command {
    @Override
    public void execute(ControlExecution node) {
      node.serve(epoch, target, sequentialUntilMicros, missed, sequential);
    }
  }

  /** Publish in the log that the node has joined. */
  record Join(long epoch) implements Command {
    @Override
    public void execute(ControlExecution node) {
      node.join(epoch);
    }
  }

  /** Send the safe point to clients. The name is part of {@code DutyFailed}. */
  record TellSafePoint(long hlc) implements Command {
    @Override
    public void execute(ControlExecution node) {
      node.safePoint(hlc);
    }
  }

  /** Restore the target, at a time after {@code past}, and publish the changed keys. */
  record Restore(long epoch, int attempt, long target, long past) implements Command {
    @Override
    public void execute(ControlExecution node) {
      node.restore(epoch, attempt, target, past);
    }
  }

  /** Publish the access log after the target. The name is part of {@code DutyFailed}. */
  record TellAccesses(long epoch, io.palinode.wire.v1.Restore asked) implements Command {
    @Override
    public void execute(ControlExecution node) {
      node.publishAccesses(epoch, asked);
    }
  }

  /** Undo {@code extent} and publish the changed keys, or publish that it is too much. */
  record RestoreSome(long epoch, io.palinode.wire.v1.Restore asked, Extent extent)
      implements Command {
    @Override
    public void execute(ControlExecution node) {
      node.restoreSome(epoch, asked, extent);
    }
  }

  /** Restore the cut of a snapshot, and publish digests of all keys. */
  record RestoreFrom(long epoch, io.palinode.wire.v1.Restore asked) implements Command {
    @Override
    public void execute(ControlExecution node) {
      node.restoreFrom(epoch, asked);
    }
  }

  /** Keep the data, and publish the keys that changed near and after the target. */
  record Keep(long epoch, io.palinode.wire.v1.Restore asked) implements Command {
    @Override
    public void execute(ControlExecution node) {
      node.keep(epoch, asked);
    }
  }

  /** Change nothing, and publish the node's clock: the plan ends with each node's data. */
  record LeaveAsIs(long epoch, int attempt) implements Command {
    @Override
    public void execute(ControlExecution node) {
      node.leaveAsIs(epoch, attempt);
    }
  }

  /** Keep the data, and publish digests of all keys. */
  record KeepAll(long epoch, io.palinode.wire.v1.Restore asked) implements Command {
    @Override
    public void execute(ControlExecution node) {
      node.keepAll(epoch, asked);
    }
  }

  /**
   * Publish the changed keys of these groups.
   *
   * @param extent the undone writes; null for all
   */
  record Name(
      long epoch, io.palinode.wire.v1.Restore asked, @Nullable Extent extent, Set<KeyGroup> groups)
      implements Command {
    @Override
    public void execute(ControlExecution node) {
      node.name(epoch, asked, extent, groups);
    }
  }

  /** Publish the versions of these keys; or of those in these slices, if all keys are compared. */
  record Contribute(long epoch, io.palinode.wire.v1.Restore asked, List<StoreKey> keys)
      implements Command {
    @Override
    public void execute(ControlExecution node) {
      node.contribute(epoch, asked, keys);
    }
  }

  /**
   * Merge the contributions of all nodes, and publish the terms that hold.
   *
   * @param rest the first slice that is left for the next attempt; null if no slice is left
   */
  record Converge(
      long epoch,
      io.palinode.wire.v1.Restore asked,
      List<KeyRecord> records,
      @Nullable StoreKey rest)
      implements Command {
    @Override
    public void execute(ControlExecution node) {
      node.converge(epoch, asked, records, rest);
    }
  }

  /** Like {@link Converge} after a partial undo; also publish intervals that are open again. */
  record ConvergeSome(
      long epoch,
      io.palinode.wire.v1.Restore asked,
      Affected extent,
      Set<Long> standing,
      List<KeyRecord> records)
      implements Command {
    @Override
    public void execute(ControlExecution node) {
      node.convergeSome(epoch, asked, extent, standing, records);
    }
  }
}
