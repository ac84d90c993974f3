package io.palinode.agent;

import java.util.function.Supplier;

/** Marks the agent's own calls of woven methods, which the hooks ignore. */
final class OwnCalls {
  private final ThreadLocal<int[]> depth = ThreadLocal.withInitial(() -> new int[1]);

  <T> T run(Supplier<T> call) {
    int[] mine = depth.get();
    mine[0]++;
    try {
      return call.get();
    } finally {
      mine[0]--;
    }
  }

  void run(Runnable call) {
    Boolean unused =
        run(
            () -> {
              call.run();
              return true;
            });
  }

  boolean isOwn() {
    return depth.get()[0] > 0;
  }
}
