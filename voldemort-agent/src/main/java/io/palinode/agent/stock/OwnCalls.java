package io.palinode.agent.stock;

import java.util.function.Supplier;

/** Marks the agent's own calls of woven methods, which the hooks ignore. */
public final class OwnCalls {
  private final ThreadLocal<int[]> depth = ThreadLocal.withInitial(() -> new int[1]);

  public <T> T run(Supplier<T> call) {
    int[] mine = depth.get();
    mine[0]++;
    try {
      return call.get();
    } finally {
      mine[0]--;
    }
  }

  public void run(Runnable call) {
    Boolean unused =
        run(
            () -> {
              call.run();
              return true;
            });
  }

  public boolean isOwn() {
    return depth.get()[0] > 0;
  }
}
