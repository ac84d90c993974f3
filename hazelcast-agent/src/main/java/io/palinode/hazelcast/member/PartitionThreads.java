package io.palinode.hazelcast.member;

import com.hazelcast.instance.impl.Node;
import com.hazelcast.spi.impl.PartitionSpecificRunnable;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;

/** Runs work in the threads of a member's partitions. Thread-safe. */
record PartitionThreads(Node hazelcast) {
  private static final long SECONDS_MAX = 30;

  void run(int partition, Runnable action) {
    hazelcast
        .getNodeEngine()
        .getOperationService()
        .execute(
            new PartitionSpecificRunnable() {
              @Override
              public int getPartitionId() {
                return partition;
              }

              @Override
              public void run() {
                action.run();
              }
            });
  }

  /** Runs it, and completes once it has ended. */
  CompletableFuture<Void> ended(int partition, Runnable action) {
    CompletableFuture<Void> end = new CompletableFuture<>();
    run(
        partition,
        () -> {
          try {
            action.run();
            end.complete(null);
          } catch (RuntimeException | LinkageError e) {
            end.completeExceptionally(e);
          }
        });
    return end;
  }

  /** Waits for the operations that have begun in all partitions. */
  void drain() {
    List<CompletableFuture<Void>> ends = new ArrayList<>();
    for (int i = 0; i < hazelcast.getPartitionService().getPartitionCount(); i++) {
      ends.add(ended(i, () -> {}));
    }
    awaitAll(ends);
  }

  /** Throws {@link IllegalStateException} if one fails, or after 30 s. */
  static void awaitAll(List<? extends CompletableFuture<?>> ends) {
    try {
      CompletableFuture.allOf(ends.toArray(CompletableFuture[]::new))
          .orTimeout(SECONDS_MAX, TimeUnit.SECONDS)
          .join();
    } catch (CompletionException e) {
      throw new IllegalStateException("work in a partition's thread: " + e.getCause(), e);
    }
  }
}
