package io.palinode.voldemort.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.palinode.voldemort.client.session.InsufficientNodesException;
import io.palinode.voldemort.client.session.NodeException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The end of a question to several nodes, compared with a plain rule. */
class GatherTest {
  private static final int CASES = 5_000;
  private static final int NODES_MAX = 5;
  private static final int TIME_IS_OVER = -1;

  @Test
  void itAsksAndEndsLikeTheRule() {
    long seed = System.nanoTime();
    for (int i = 0; i < CASES; i++) {
      try {
        new Case(new Random(seed + i)).run();
      } catch (AssertionError e) {
        throw new AssertionError("seed " + (seed + i), e);
      }
    }
  }

  /** Nodes that answer or fail one after the other, some before all are asked. */
  private static final class Case {
    private final Random random;
    private final int nodes;
    private final Quorum quorum;
    private final boolean[] answers = new boolean[NODES_MAX];
    private final boolean[] atOnce = new boolean[NODES_MAX];
    private final Map<Integer, CompletableFuture<String>> open = new HashMap<>();
    private final List<Integer> asked = new ArrayList<>();

    Case(Random random) {
      this.random = random;
      this.nodes = 1 + random.nextInt(NODES_MAX);
      int required = 1 + random.nextInt(nodes);
      this.quorum = new Quorum(required, required + random.nextInt(nodes - required + 1));
      for (int node = 0; node < nodes; node++) {
        answers[node] = random.nextInt(3) > 0;
        atOnce[node] = random.nextInt(5) == 0;
      }
    }

    void run() {
      Gather<String> gather = new Gather<>("GET", quorum, this::ask);
      List<Integer> order = IntStream.range(0, nodes).boxed().toList();
      CompletableFuture<Map<Integer, String>> result = gather.start(order, quorum.preferred());
      Rule rule = new Rule(nodes, quorum, answers);
      for (int node : order) {
        if (asked.contains(node) && atOnce[node]) {
          rule.observe(node);
        }
      }
      boolean timed = random.nextBoolean();
      while (!rule.hasEnded()) {
        assertThat(result).as("%s", rule).isNotDone();
        int next = next(timed && !rule.timeIsOver);
        rule.observe(next);
        if (next == TIME_IS_OVER) {
          gather.preferNoMore();
        } else {
          settle(next, Objects.requireNonNull(open.remove(next)));
          // A node asked because of that may answer at once.
          asked.stream().filter(node -> atOnce[node]).forEach(rule::observe);
        }
      }
      assertThat(asked).as("%s", rule).hasSize(rule.asked);
      rule.requireEnd(result);
    }

    private int next(boolean mayTime) {
      List<Integer> possible = new ArrayList<>(open.keySet());
      Collections.sort(possible);
      if (mayTime) {
        possible.add(TIME_IS_OVER);
      }
      return possible.get(random.nextInt(possible.size()));
    }

    private CompletableFuture<String> ask(int node) {
      asked.add(node);
      CompletableFuture<String> answer = new CompletableFuture<>();
      if (atOnce[node]) {
        settle(node, answer);
      } else {
        open.put(node, answer);
      }
      return answer;
    }

    private void settle(int node, CompletableFuture<String> answer) {
      if (answers[node]) {
        answer.complete("of " + node);
      } else {
        answer.completeExceptionally(new NodeException(node, "down"));
      }
    }
  }

  /** The rule of {@link Gather}, over the answers so far. */
  private static final class Rule {
    private final int nodes;
    private final Quorum quorum;
    private final boolean[] answers;
    private final List<Integer> received = new ArrayList<>();
    private int asked;
    private boolean timeIsOver;
    private boolean ended;
    private int answered;

    Rule(int nodes, Quorum quorum, boolean[] answers) {
      this.nodes = nodes;
      this.quorum = quorum;
      this.answers = answers;
      this.asked = quorum.preferred();
    }

    void observe(int what) {
      if (ended || received.contains(what)) {
        return;
      }
      if (what == TIME_IS_OVER) {
        timeIsOver = true;
      } else {
        received.add(what);
      }
      answered = (int) received.stream().filter(node -> answers[node]).count();
      boolean oneMore = answered + underWay() < quorum.required() && asked < nodes;
      if (oneMore) {
        asked++;
      }
      ended =
          answered >= quorum.preferred()
              || (answered >= quorum.required() && (timeIsOver || underWay() == 0))
              || underWay() == 0;
    }

    private int underWay() {
      return asked - received.size();
    }

    boolean hasEnded() {
      return ended;
    }

    void requireEnd(CompletableFuture<Map<Integer, String>> result) {
      assertThat(result).as("%s", this).isDone();
      if (answered >= quorum.required()) {
        assertThat(result.join()).as("%s", this).hasSize(answered);
      } else {
        CompletionException failed = catchThrowableOfType(CompletionException.class, result::join);
        assertThat(failed)
            .as("%s", this)
            .hasCauseInstanceOf(InsufficientNodesException.class)
            .hasMessageContaining("needs " + quorum.required());
      }
    }

    @Override
    public String toString() {
      return "nodes=%d %s received=%s asked=%d timeIsOver=%s"
          .formatted(nodes, quorum, received, asked, timeIsOver);
    }
  }
}
