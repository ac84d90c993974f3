package io.palinode.detector;

import io.palinode.detector.StoreBinding.KeyRecord;
import java.util.List;

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

  /** Serve requests of this epoch. */
  record Serve(long epoch, long target, long sequentialUntilMicros, List<SequentialKeys> sequential)
      implements Command {
    @Override
    public void execute(ControlExecution node) {
      node.serve(epoch, target, sequentialUntilMicros, sequential);
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

  /** Stay where it is, and publish which keys changed near and after the target. */
  record Keep(long epoch, int attempt, long target) implements Command {
    @Override
    public void execute(ControlExecution node) {
      node.keep(epoch, attempt, target);
    }
  }

  /** Publish the versions of these keys. */
  record Contribute(long epoch, int attempt, List<StoreKey> keys) implements Command {
    @Override
    public void execute(ControlExecution node) {
      node.contribute(epoch, attempt, keys);
    }
  }

  /** Merge what all nodes contributed, and publish what holds then. */
  record Converge(long epoch, int attempt, List<KeyRecord> records) implements Command {
    @Override
    public void execute(ControlExecution node) {
      node.converge(epoch, attempt, records);
    }
  }
}
