package io.palinode.orchestrator.kafka;

import io.palinode.wire.v1.EffectAccessed;
import io.palinode.wire.v1.EffectReported;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.IntStream;

/** The answers of nodes to one question about a rollback's effect. Not thread-safe. */
final class EffectQuestion {
  private final int nodes;
  private final Map<Integer, EffectReported> answers = new TreeMap<>();
  private final Set<Integer> accessed = new TreeSet<>();

  EffectQuestion(int nodes) {
    this.nodes = nodes;
  }

  void read(EffectReported answer) {
    answers.put(answer.getNode(), answer);
  }

  void read(EffectAccessed piece) {
    if (piece.getAccessed().getLast()) {
      accessed.add(piece.getAccessed().getNode());
    }
  }

  /** Whether every node has answered. */
  boolean isOver() {
    return answers.size() >= nodes;
  }

  List<EffectReported> answers() {
    return List.copyOf(answers.values());
  }

  /**
   * The nodes that are waited for. Nodes that only wait for others are left out, if any other is
   * left.
   */
  List<Integer> waiting() {
    List<Integer> silent =
        IntStream.range(0, nodes).filter(node -> !answers.containsKey(node)).boxed().toList();
    List<Integer> first = silent.stream().filter(node -> !accessed.contains(node)).toList();
    return first.isEmpty() ? silent : first;
  }
}
