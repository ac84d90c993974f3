package io.palinode.store.control;

import io.palinode.wire.v1.Accessed;
import io.palinode.wire.v1.EffectAccessed;
import io.palinode.wire.v1.EffectAsked;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Open questions about the effect of partial rollbacks, with the access logs that nodes published
 * for each. Keeps the latest {@link #OPEN_MAX}; older ones get no answer. Not thread-safe.
 */
public final class EffectQuestions {
  public static final int OPEN_MAX = 8;

  private final int nodes;
  private final Map<String, Question> open = new LinkedHashMap<>();

  /**
   * A question, with the access logs of nodes.
   *
   * @param accessed the records of all nodes once the question can be answered
   */
  public record Question(EffectAsked asked, List<Accessed> accessed) {
    public Question {
      accessed = List.copyOf(accessed);
    }

    private Question with(Accessed piece) {
      List<Accessed> more = new ArrayList<>(accessed);
      more.add(piece);
      return new Question(asked, more);
    }

    private long nodesDone() {
      return accessed.stream().filter(Accessed::getLast).map(Accessed::getNode).distinct().count();
    }
  }

  /**
   * @param nodes of the cluster
   */
  public EffectQuestions(int nodes) {
    this.nodes = nodes;
  }

  /** Opens a question. */
  public void ask(EffectAsked asked) {
    if (open.size() == OPEN_MAX) {
      open.remove(open.keySet().iterator().next());
    }
    open.put(asked.getRequest(), new Question(asked, List.of()));
  }

  /** Adds a piece. Returns the question if it was the last missing piece; else null. */
  public @Nullable Question add(EffectAccessed piece) {
    Question more =
        open.computeIfPresent(piece.getRequest(), (name, q) -> q.with(piece.getAccessed()));
    if (more == null || more.nodesDone() < nodes) {
      return null;
    }
    open.remove(piece.getRequest());
    return more;
  }
}
