package io.palinode.detector;

import io.palinode.wire.v1.Accessed;
import io.palinode.wire.v1.EffectAccessed;
import io.palinode.wire.v1.EffectAsked;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What rollbacks would change that undo only what came of some writes: the questions that are open,
 * and what nodes have told for each. The latest few; an older one is answered by nobody. For one
 * thread.
 */
public final class EffectQuestions {
  static final int OPEN_MAX = 8;

  private final int nodes;
  private final Map<String, Question> open = new LinkedHashMap<>();

  /**
   * One that can be answered.
   *
   * @param told by all nodes
   */
  public record Question(EffectAsked asked, List<Accessed> told) {
    public Question {
      told = List.copyOf(told);
    }

    private Question with(Accessed piece) {
      List<Accessed> more = new ArrayList<>(told);
      more.add(piece);
      return new Question(asked, more);
    }

    private long nodesDone() {
      return told.stream().filter(Accessed::getLast).map(Accessed::getNode).distinct().count();
    }
  }

  /**
   * @param nodes of the cluster
   */
  public EffectQuestions(int nodes) {
    this.nodes = nodes;
  }

  /** One more, of which nothing is told yet. */
  public void ask(EffectAsked asked) {
    if (open.size() == OPEN_MAX) {
      open.remove(open.keySet().iterator().next());
    }
    open.put(asked.getRequest(), new Question(asked, List.of()));
  }

  /** The question, when this is the last piece that it waited for; else null. */
  public @Nullable Question hear(EffectAccessed said) {
    Question more =
        open.computeIfPresent(said.getRequest(), (name, q) -> q.with(said.getAccessed()));
    if (more == null || more.nodesDone() < nodes) {
      return null;
    }
    open.remove(said.getRequest());
    return more;
  }
}
