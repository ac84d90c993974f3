package io.palinode.examples.tasks;

import io.palinode.examples.graph.Graph;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** One program that does all tasks, one after the other. Not thread-safe. */
public final class SequentialRun {
  private final VertexProgram program;
  private final Graph graph;
  private final VertexState[] states;

  public SequentialRun(VertexProgram program, Graph graph) {
    this.program = program;
    this.graph = graph;
    this.states = new VertexState[graph.vertices()];
    for (int v = 0; v < states.length; v++) {
      states[v] = new VertexState(0, program.first(v));
    }
  }

  /** Does the next task of {@code vertex}. */
  public Task perform(int vertex) {
    Task task = Task.after(program, vertex, states[vertex], neighbours(vertex));
    states[vertex] = task.state();
    return task;
  }

  /** Whether the vertex has no further task. */
  public boolean ends(int vertex) {
    return program.ends(states[vertex]);
  }

  public Map<Integer, String> values() {
    Map<Integer, String> values = new TreeMap<>();
    for (int v = 0; v < states.length; v++) {
      values.put(v, states[v].value());
    }
    return values;
  }

  /**
   * Does the tasks of another run, in an order in which each reads what it read there. Returns the
   * tasks for which there is no such order, or that computed another value; empty if that run
   * equals this one. O(tasks · degree).
   *
   * @param tasks all of them, in any order
   */
  public Set<Task> differing(List<Task> tasks) {
    Map<Integer, Map<Integer, Task>> byVertexAndRound = new HashMap<>();
    for (Task task : tasks) {
      byVertexAndRound
          .computeIfAbsent(task.vertex(), v -> new HashMap<>())
          .put(task.state().round(), task);
    }
    Set<Task> left = new HashSet<>(tasks);
    Deque<Integer> toTry = new ArrayDeque<>(byVertexAndRound.keySet());
    while (!toTry.isEmpty()) {
      int v = toTry.remove();
      Task task = byVertexAndRound.getOrDefault(v, Map.of()).get(states[v].round() + 1);
      if (isNext(task)) {
        left.remove(perform(v));
        toTry.add(v);
        for (int w : graph.neighbours(v)) {
          toTry.add(w);
        }
      }
    }
    return left;
  }

  private boolean isNext(@Nullable Task task) {
    return task != null && task.neighbours().equals(neighbours(task.vertex()));
  }

  private SortedMap<Integer, VertexState> neighbours(int vertex) {
    SortedMap<Integer, VertexState> neighbours = new TreeMap<>();
    for (int w : graph.neighbours(vertex)) {
      neighbours.put(w, states[w]);
    }
    return neighbours;
  }
}
