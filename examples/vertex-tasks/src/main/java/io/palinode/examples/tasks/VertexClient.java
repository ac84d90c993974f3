package io.palinode.examples.tasks;

import io.palinode.examples.graph.Edge;
import io.palinode.examples.graph.Partition;
import io.palinode.voldemort.client.RestartBackOff;
import io.palinode.voldemort.client.Store;
import io.palinode.voldemort.client.StoreClient;
import io.palinode.voldemort.client.session.ObsoleteVersionException;
import io.palinode.voldemort.client.session.RolledBackException;
import io.palinode.voldemort.protocol.VectorClock;
import io.palinode.voldemort.protocol.Versioned;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/**
 * One client: does the tasks of its vertices, in turns, until all have ended or it is stopped.
 * {@link #run} belongs to one thread.
 *
 * <p>All that a task leaves is in the store. So a rollback needs no book of finished tasks: the
 * client reads what the store has now, and continues from there, as a client that starts does.
 */
final class VertexClient {
  private static final Duration TAKE_MAX = Duration.ofSeconds(60);
  private static final Duration SAFE_MAX = Duration.ofMinutes(2);
  private static final int TASKS_MAX = 1_000_000;
  private static final int RETRY_MS = 1;
  private static final int IDLE_MS = 10;

  private final VertexJob job;
  private final VertexProgram program;
  private final Partition partition;
  private final List<Integer> vertices;
  private final StoreClient client;
  private final Store store;
  private final BooleanSupplier stopped;
  private final VertexState[] states;
  private final RestartBackOff backOff;

  /** By vertex, in order. */
  private final Map<Integer, List<Task>> tasks = new HashMap<>();

  private long lastAcceptedAt;
  private int furthest;
  private int rollbacks;

  VertexClient(int index, VertexJob job, StoreClient client, BooleanSupplier stopped) {
    this.job = job;
    this.program = job.program();
    this.partition = job.partition();
    this.vertices = new ArrayList<>(partition.verticesOf(index));
    this.client = client;
    this.store = client.store(job.store());
    this.stopped = stopped;
    this.states = new VertexState[partition.graph().vertices()];
    Random random = new Random(index);
    Collections.shuffle(vertices, random); // Else all begin with the greatest hubs at once.
    this.backOff = RestartBackOff.of(random);
  }

  /** Returns when its tasks are done, and no automatic rollback can discard them. */
  void run() throws InterruptedException {
    while (true) {
      try {
        readStore();
        doTasks();
        client.awaitSafe(lastAcceptedAt, SAFE_MAX);
        return;
      } catch (RolledBackException e) {
        rollbacks++;
        lastAcceptedAt = Math.max(lastAcceptedAt, e.rolledBack().target());
        TimeUnit.NANOSECONDS.sleep(backOff.rolledBack().toNanos());
      }
    }
  }

  /** The tasks that stand. */
  List<Task> tasks() {
    return tasks.values().stream().flatMap(List::stream).toList();
  }

  /** By vertex, as the store has them. */
  Map<Integer, String> values() {
    Map<Integer, String> values = new TreeMap<>();
    vertices.forEach(v -> values.put(v, states[v].value()));
    return values;
  }

  /** Those that this client learned of. */
  int rollbacks() {
    return rollbacks;
  }

  /** Continues from what the store has, and gives back the edges of a task that was cut off. */
  private void readStore() {
    List<String> keys = new ArrayList<>();
    for (int v : vertices) {
      keys.add(job.valueKey(v));
      partition.crossEdges(v).forEach(edge -> keys.add(job.edgeKey(edge)));
    }
    Map<String, String> found = store.getAll(keys);
    for (int v : vertices) {
      String text = found.get(job.valueKey(v));
      states[v] = text == null ? new VertexState(0, program.first(v)) : VertexState.parse(text);
      forgetAfter(v, states[v].round());
      for (Edge edge : partition.crossEdges(v)) {
        String record = found.get(job.edgeKey(edge));
        if (record != null && EdgeRecord.parse(edge, record).holder() == v) {
          giveBack(EdgeRecord.parse(edge, record), v);
        }
      }
    }
  }

  private void doTasks() throws InterruptedException {
    boolean left = true;
    while (left) {
      left = false;
      boolean changed = false;
      for (int v : vertices) {
        VertexState before = states[v];
        if (stopped.getAsBoolean()) {
          return;
        }
        if (!program.ends(before)) {
          left = true;
          changed |= !perform(v).state().value().equals(before.value());
        }
      }
      if (left && !changed) {
        TimeUnit.MILLISECONDS.sleep(IDLE_MS); // Others have to come first.
      }
    }
  }

  private Task perform(int v) throws InterruptedException {
    SortedMap<Integer, VertexState> neighbours = new TreeMap<>();
    for (int w : partition.graph().neighbours(v)) {
      if (partition.owner(w) == partition.owner(v)) {
        neighbours.put(w, states[w]);
      }
    }
    List<EdgeRecord> taken = new ArrayList<>();
    // In ascending order, so that no two clients wait for each other.
    for (Edge edge : partition.crossEdges(v)) {
      EdgeRecord record = take(edge, v);
      taken.add(record);
      neighbours.put(edge.other(v), record.of(edge.other(v)));
    }
    Task task = Task.after(program, v, states[v], neighbours);
    keep(task);
    accepted(store.put(job.valueKey(v), task.state().toString()));
    states[v] = task.state();
    for (EdgeRecord record : taken) {
      giveBack(record, v);
    }
    int rounds = vertices.stream().mapToInt(w -> states[w].round()).sum();
    if (rounds > furthest) {
      furthest = rounds;
      backOff.progressed();
    }
    return task;
  }

  /** Before its put: if a rollback cuts that off, the store may have the put or not. */
  private void keep(Task task) {
    List<Task> ofVertex = forgetAfter(task.vertex(), task.state().round() - 1);
    if (ofVertex.size() >= TASKS_MAX) {
      throw new IllegalStateException("tasks of a vertex must be at most " + TASKS_MAX);
    }
    ofVertex.add(task);
  }

  private List<Task> forgetAfter(int v, int round) {
    List<Task> ofVertex = tasks.computeIfAbsent(v, w -> new ArrayList<>());
    while (!ofVertex.isEmpty() && ofVertex.get(ofVertex.size() - 1).state().round() > round) {
      ofVertex.remove(ofVertex.size() - 1);
    }
    return ofVertex;
  }

  /** Waits until {@code v} holds the edge, as far as the client can see. */
  private EdgeRecord take(Edge edge, int v) throws InterruptedException {
    long since = System.nanoTime();
    while (System.nanoTime() - since < TAKE_MAX.toNanos()) {
      List<Versioned> versions = store.versions(job.edgeKey(edge));
      EdgeRecord record =
          versions.isEmpty()
              ? EdgeRecord.first(edge, program)
              : EdgeRecord.parse(edge, versions.get(0).text());
      if (record.holder() == EdgeRecord.FREE) {
        VectorClock read = versions.isEmpty() ? VectorClock.EMPTY : versions.get(0).clock();
        try {
          String text = record.takenBy(v).toString();
          accepted(store.put(job.edgeKey(edge), Versioned.ofText(text, read)));
          return record;
        } catch (ObsoleteVersionException e) {
          // The node has a version that was not read: the other end was faster. Read again.
        }
      }
      TimeUnit.MILLISECONDS.sleep(RETRY_MS);
    }
    throw new IllegalStateException(
        "an edge must be free within " + TAKE_MAX.toSeconds() + " s: edge=" + edge + " end=" + v);
  }

  private void giveBack(EdgeRecord record, int v) {
    accepted(store.put(job.edgeKey(record.edge()), record.leftBy(v, states[v]).toString()));
  }

  private void accepted(Store.Written written) {
    lastAcceptedAt = Math.max(lastAcceptedAt, written.acceptedAt());
  }
}
