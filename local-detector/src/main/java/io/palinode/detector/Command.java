package io.palinode.detector;

import io.palinode.detector.StoreBinding.KeyRecord;
import io.palinode.detector.affected.Affected;
import io.palinode.detector.affected.Extent;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What {@link NodeControl} wants done at its node. Each may be repeated. */
public sealed interface Command {
  void execute(ControlExecution node);

  /** Refuse requests below the plan's epoch, and say so in the log. */
  record Pause(long epoch) implements Command {
    @Override
    public void execute(ControlExecution node) {
      node.pause(epoch);
    }
  }

  /** Let the detector see the state as it is, in this epoch, at a time after {@code clock}. */
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

  /** Say in the log that the node is here. */
  record Join(long epoch) implements Command {
    @Override
    public void execute(ControlExecution node) {
      node.join(epoch);
    }
  }

  /** Tell clients the safe point. */
  record TellSafePoint(long hlc) implements Command {
    @Override
    public void execute(ControlExecution node) {
      node.tellSafePoint(hlc);
    }
  }

  /** Go back to the target, at a time after {@code past}, and publish which keys changed. */
  record Restore(long epoch, int attempt, long target, long past) implements Command {
    @Override
    public void execute(ControlExecution node) {
      node.restore(epoch, attempt, target, past);
    }
  }

  /** Publish who used which keys after the target. */
  record TellAccesses(long epoch, io.palinode.wire.v1.Restore asked) implements Command {
    @Override
    public void execute(ControlExecution node) {
      node.tellAccesses(epoch, asked);
    }
  }

  /**
   * Undo as much as {@code extent} says, and publish which keys changed; or that it is too much.
   */
  record RestoreSome(long epoch, io.palinode.wire.v1.Restore asked, Extent extent)
      implements Command {
    @Override
    public void execute(ControlExecution node) {
      node.restoreSome(epoch, asked, extent);
    }
  }

  /** Go to the cut of a snapshot, and publish digests of all that is there then. */
  record RestoreFrom(long epoch, io.palinode.wire.v1.Restore asked) implements Command {
    @Override
    public void execute(ControlExecution node) {
      node.restoreFrom(epoch, asked);
    }
  }

  /** Stay where it is, and publish which keys changed near and after the target. */
  record Keep(long epoch, io.palinode.wire.v1.Restore asked) implements Command {
    @Override
    public void execute(ControlExecution node) {
      node.keep(epoch, asked);
    }
  }

  /** Stay where it is, and publish digests of all that is there. */
  record KeepAll(long epoch, io.palinode.wire.v1.Restore asked) implements Command {
    @Override
    public void execute(ControlExecution node) {
      node.keepAll(epoch, asked);
    }
  }

  /**
   * Publish which keys changed, of these groups.
   *
   * @param extent what was undone; null: everything
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
   * Merge what all nodes contributed, and publish what holds then.
   *
   * @param rest the first slice that is left for the next attempt; null: none
   */
  record Converge(long epoch, int attempt, List<KeyRecord> records, @Nullable StoreKey rest)
      implements Command {
    @Override
    public void execute(ControlExecution node) {
      node.converge(epoch, attempt, records, rest);
    }
  }

  /** Likewise, after only some was undone; and publish what goes on though it was ended. */
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
