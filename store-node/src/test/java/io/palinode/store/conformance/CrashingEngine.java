package io.palinode.store.conformance;

import io.palinode.store.conformance.CrashPoint.When;
import io.palinode.store.engine.StorageEngine;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** An engine under which the process can end at a commit. */
final class CrashingEngine extends PassingEngine {
  private @Nullable When next;

  CrashingEngine(StorageEngine engine) {
    super(engine);
  }

  /** The end of the process. No code of a node may catch it and continue. */
  static final class Crash extends Error {
    private static final long serialVersionUID = 1;

    Crash(When when) {
      super(when.name());
    }
  }

  /** Before or after the next commit; null: not at all. */
  void crash(@Nullable When when) {
    next = when;
  }

  @Override
  public void commit(List<Change> changes, Durability durability) {
    crashIf(When.BEFORE_COMMIT);
    super.commit(changes, durability);
    crashIf(When.AFTER_COMMIT);
  }

  private void crashIf(When when) {
    if (next == when) {
      next = null;
      throw new Crash(when);
    }
  }
}
