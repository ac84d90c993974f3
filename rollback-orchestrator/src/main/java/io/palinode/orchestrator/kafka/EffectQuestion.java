package io.palinode.orchestrator.kafka;

import io.palinode.wire.v1.EffectAccessed;
import io.palinode.wire.v1.EffectTold;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.IntStream;

/** What nodes have told so far of one rollback's effect. Not thread-safe. */
final class EffectQuestion {
  private final int nodes;
  private final Map<Integer, EffectTold> answers = new TreeMap<>();
  private final Set<Integer> accessed = new TreeSet<>();

  EffectQuestion(int nodes) {
    this.nodes = nodes;
  }

  void read(EffectTold answer) {
    answers.put(answer.getNode(), answer);
  }

  void read(EffectAccessed piece) {
    if (piece.getAccessed().getLast()) {
      accessed.add(piece.getAccessed().getNode());
    }
  }

  /** Every node has answered. */
  boolean isOver() {
    return answers.size() >= nodes;
  }

  List<EffectTold> answers() {
    return List.copyOf(answers.values());
  }

  /**
   * Nodes that are waited for; not those that only wait for others themselves, if there are any.
   */
  List<Integer> waiting() {
    List<Integer> silent =
        IntStream.range(0, nodes).filter(node -> !answers.containsKey(node)).boxed().toList();
    List<Integer> first = silent.stream().filter(node -> !accessed.contains(node)).toList();
    return first.isEmpty() ? silent : first;
  }
}
