package io.palinode.examples.tasks;

import io.palinode.voldemort.client.StoreClient;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;

/** All clients of a run, each on its thread. */
public final class VertexRun {
  private VertexRun() {}

  /**
   * A run that has ended.
   *
   * @param tasks that stand, of all clients
   * @param values by vertex
   * @param rollbacks the most that any client learned of
   */
  public record Result(List<Task> tasks, Map<Integer, String> values, int rollbacks) {}

  /**
   * Returns when all clients are done, their results are safe, and all replicas have them. Throws
   * {@link ExecutionException} with the failure of a client; the others are stopped.
   *
   * @param clients one for each part of the graph; the caller closes them
   * @param stop when it turns true, clients end after their present task
   */
  public static Result run(VertexJob job, List<StoreClient> clients, BooleanSupplier stop)
      throws InterruptedException, ExecutionException {
    AtomicBoolean failed = new AtomicBoolean();
    List<VertexClient> workers = new ArrayList<>();
    List<Callable<Void>> runs = new ArrayList<>();
    for (int i = 0; i < job.partition().clients(); i++) {
      VertexClient worker =
          new VertexClient(i, job, clients.get(i), () -> failed.get() || stop.getAsBoolean());
      workers.add(worker);
      runs.add(
          () -> {
            boolean done = false;
            try {
              worker.run();
              done = true;
            } finally {
              failed.compareAndSet(false, !done);
            }
            return null;
          });
    }
    ExecutorService threads = Executors.newFixedThreadPool(runs.size());
    try {
      for (Future<Void> run : threads.invokeAll(runs)) {
        run.get();
      }
    } finally {
      threads.shutdownNow();
    }
    for (StoreClient client : clients) {
      while (client.metrics().copiesInFlight() > 0) {
        TimeUnit.MILLISECONDS.sleep(1); // A client that is closed sends no more copies.
      }
    }
    return result(workers);
  }

  private static Result result(List<VertexClient> workers) {
    List<Task> tasks = new ArrayList<>();
    Map<Integer, String> values = new TreeMap<>();
    int rollbacks = 0;
    for (VertexClient worker : workers) {
      tasks.addAll(worker.tasks());
      values.putAll(worker.values());
      rollbacks = Math.max(rollbacks, worker.rollbacks());
    }
    return new Result(tasks, values, rollbacks);
  }
}
