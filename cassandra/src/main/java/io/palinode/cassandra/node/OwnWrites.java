package io.palinode.cassandra.node;

import org.jspecify.annotations.Nullable;

/** The mutations of the node itself, which no fence refuses and no listener receives. */
public final class OwnWrites {
  private volatile @Nullable Thread own;

  /** Whether the calling thread runs an action of {@link #run}. */
  public boolean isCurrent() {
    return Thread.currentThread() == own;
  }

  /** For one thread at a time. */
  void run(Runnable action) {
    own = Thread.currentThread();
    try {
      action.run();
    } finally {
      own = null;
    }
  }
}
