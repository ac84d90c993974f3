package io.palinode.simulation.exhaustive;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Visits every state that a {@link SmallWorld} can reach, depth first, each once. A state without a
 * possible action must be an end: the plan has ended, the client is done, the nodes are equal.
 */
public final class EveryInterleaving {
  private static final int TELL_EVERY = 100_000;

  private final Set<Fingerprint.Bits> seen = new HashSet<>();
  private final Fingerprint.Values values = new Fingerprint.Values();
  private long ends;

  /**
   * What came of it.
   *
   * @param all whether these are all states that there are
   * @param ends states in which nothing is left to be done
   * @param broken what did not hold; null when all did
   * @param path how the world came there, a line a step
   */
  public record Explored(
      long states, boolean all, long ends, @Nullable String broken, List<String> path) {}

  private record Left(SmallWorld world, List<SmallWorld.Action> actions, int next, String step) {}

  /**
   * @param statesMax where it ends, all states or not
   * @param progress accepts the number of states from time to time
   */
  public Explored explore(long statesMax, LongConsumer progress) {
    return explore(new SmallWorld(), statesMax, progress);
  }

  Explored explore(SmallWorld first, long statesMax, LongConsumer progress) {
    ArrayDeque<Left> stack = new ArrayDeque<>();
    seen.add(first.fingerprint(values));
    stack.push(new Left(first, first.actions(), 0, "begin"));
    while (!stack.isEmpty() && seen.size() < statesMax) {
      Left at = stack.pop();
      if (at.next() == at.actions().size()) {
        continue;
      }
      SmallWorld.Action action = at.actions().get(at.next());
      stack.push(new Left(at.world(), at.actions(), at.next() + 1, at.step()));
      SmallWorld world = at.world().copy();
      String broken = world.act(action);
      if (broken == null && seen.add(world.fingerprint(values))) {
        if (seen.size() % TELL_EVERY == 0) {
          progress.accept(seen.size());
        }
        List<SmallWorld.Action> actions = world.actions();
        boolean isEnd = world.isQuiet(actions);
        broken = isEnd ? world.whatIsNotOver() : null;
        ends += isEnd ? 1 : 0;
        stack.push(new Left(world, actions, 0, action.toString()));
      }
      if (broken != null) {
        return new Explored(seen.size(), false, ends, broken, path(stack, action));
      }
    }
    return new Explored(seen.size(), stack.isEmpty(), ends, null, List.of());
  }

  private static List<String> path(ArrayDeque<Left> stack, SmallWorld.Action last) {
    List<String> path = new ArrayList<>();
    stack.descendingIterator().forEachRemaining(left -> path.add(left.step()));
    path.add(last.toString());
    return path;
  }
}
