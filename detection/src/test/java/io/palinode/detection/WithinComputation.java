package io.palinode.detection;

import io.palinode.detection.stream.Detector;
import io.palinode.hvc.Causality;
import io.palinode.hvc.Epsilon;
import io.palinode.hvc.Hvc;
import io.palinode.hvc.Interval;
import io.palinode.hvc.Uncertainty;
import io.palinode.predicate.ClauseRule;
import io.palinode.predicate.ClauseShape;
import io.palinode.predicate.ReplicaRule;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A random run of a clause with {@code within}: triggers and their copies, answers, restarts, and
 * spans of which a node publishes only what is open at their end, or nothing.
 *
 * @param events of each node, in its order
 * @param triggers that were published, with their true times
 * @param answers as they were published, with their ends
 * @param truth when an answer was true
 * @param doubts of the published
 */
record WithinComputation(
    DetectionSpec spec,
    List<List<Event>> events,
    List<Trigger> triggers,
    List<Candidate> answers,
    List<True> truth,
    List<Doubt> doubts) {
  private static final int TRIGGER = 0;
  private static final int ANSWER = 1;

  /**
   * @param at progress stays before it until it is delivered
   */
  record Event(long at, Consumer<Detector> to) {}

  record Trigger(Candidate candidate, long time) {}

  /** By the true time. */
  record True(long from, long until) {}

  /** By HLCs. */
  record Doubt(long from, long to, boolean opensOnly) {}

  static WithinComputation random(Random random, boolean faults) {
    int nodes = 2 + random.nextInt(3);
    Duration time = Duration.ofMillis(new long[] {1, 2, 5, 20}[random.nextInt(4)]);
    Causality causality =
        new Causality(
            Epsilon.ofMicros(new long[] {0, 200, 1_000, 5_000}[random.nextInt(4)]),
            random.nextBoolean() ? Uncertainty.CONSERVATIVE : Uncertainty.CAUSAL);
    ClauseShape shape = new ClauseShape(new ClauseRule.Within(time), List.of(1, 1));
    return new Maker(
            random, new DetectionSpec(nodes, List.of(shape), causality, ReplicaRule.ANY), faults)
        .make();
  }

  /** What is true and published at one node. */
  private static final class Store {
    private final List<Event> events = new ArrayList<>();
    private long incarnation = 1;
    private long sequence;
    private long trueSince = -1;
    // The version that is true, from right after its write.
    private @Nullable Hvc holds;
    private @Nullable Candidate published;
    private boolean isSearched;
    // Since when nothing is published; what waits to be.
    private @Nullable Hvc silentSince;
    private final List<Candidate> late = new ArrayList<>();
  }

  /** Makes one run. */
  private static final class Maker {
    private final Random random;
    private final DetectionSpec spec;
    private final boolean faults;
    private final Nodes nodes;
    private final List<Store> stores = new ArrayList<>();
    private final List<Trigger> triggers = new ArrayList<>();
    private final List<Candidate> answers = new ArrayList<>();
    private final List<True> truth = new ArrayList<>();
    private final List<Doubt> doubts = new ArrayList<>();

    Maker(Random random, DetectionSpec spec, boolean faults) {
      this.random = random;
      this.spec = spec;
      this.faults = faults;
      this.nodes = new Nodes(random, spec.nodes(), spec.causality().epsilon());
      for (int node = 0; node < spec.nodes(); node++) {
        stores.add(new Store());
      }
    }

    WithinComputation make() {
      for (int node = 0; node < spec.nodes(); node++) {
        if (faults && random.nextBoolean()) {
          // Before the predicate was applied.
          holdFrom(stores.get(node), nodes.write(node));
        }
        doubts.add(new Doubt(0, search(node).own(), true));
      }
      for (int steps = 10 + random.nextInt(50); steps > 0; steps--) {
        for (int pauses = random.nextInt(10) == 0 ? random.nextInt(100) : 1; pauses > 0; pauses--) {
          nodes.passTime();
        }
        step(nodes.any());
      }
      for (int node = 0; node < spec.nodes(); node++) {
        settle(node);
      }
      for (Store store : stores) {
        if (store.holds != null) {
          truth.add(new True(store.trueSince, Long.MAX_VALUE));
        }
        if (store.published != null) {
          answers.add(store.published);
        }
      }
      List<List<Event>> events = stores.stream().map(store -> store.events).toList();
      return new WithinComputation(spec, events, triggers, answers, truth, doubts);
    }

    private void step(int node) {
      if (faults && random.nextInt(3) == 0) {
        settle(node);
      }
      if (faults && random.nextInt(30) == 0) {
        fail(node);
      }
      int kind = random.nextInt(8);
      if (kind < 3) {
        trigger(node);
      } else if (kind < 7) {
        writeAnswer(node, kind == 3);
      } else {
        nodes.request(node);
      }
    }

    private void fail(int node) {
      if (random.nextBoolean()) {
        restart(node);
      } else if (stores.get(node).isSearched && stores.get(node).silentSince == null) {
        stores.get(node).silentSince = nodes.before(node);
      }
    }

    /** A node that was silent publishes again; one that has restarted searches its store. */
    private void settle(int node) {
      if (stores.get(node).silentSince != null) {
        speak(node);
      } else if (!stores.get(node).isSearched) {
        Hvc since = Objects.requireNonNull(firsts[node]);
        doubts.add(new Doubt(since.own(), search(node).own(), true));
      }
    }

    private final @Nullable Hvc[] firsts = new Hvc[8];

    private void trigger(int node) {
      Store store = stores.get(node);
      Hvc start = nodes.write(node);
      Integer origin =
          random.nextInt(3) == 0 ? Integer.valueOf(random.nextInt(spec.nodes())) : null;
      Candidate opened = candidate(TRIGGER, node, start, origin);
      if (store.silentSince != null) {
        return;
      }
      store.events.add(new Event(start.own(), to -> to.opened(opened)));
      if (!opened.isCopy()) {
        triggers.add(new Trigger(opened, nodes.now()));
      }
      if (random.nextBoolean()) {
        Candidate closed = opened.over(opened.interval().closedAt(nodes.before(node)));
        store.events.add(new Event(endOf(closed), to -> to.closed(closed, "", null)));
      }
    }

    private void writeAnswer(int node, boolean satisfies) {
      Store store = stores.get(node);
      Hvc before = nodes.before(node);
      if (store.holds != null) {
        truth.add(new True(store.trueSince, nodes.now()));
        store.holds = null;
      }
      Candidate published = store.published;
      if (published != null) {
        store.published = null;
        Candidate closed = published.over(published.interval().closedAt(before));
        if (store.silentSince == null) {
          close(store, closed);
        } else {
          store.late.add(closed);
        }
      }
      Hvc after = nodes.write(node);
      if (satisfies) {
        holdFrom(store, after);
        if (store.silentSince == null) {
          open(node, after);
        }
      }
    }

    private void holdFrom(Store store, Hvc after) {
      store.holds = after;
      store.trueSince = nodes.now();
    }

    private void open(int node, Hvc start) {
      Store store = stores.get(node);
      Candidate opened = candidate(ANSWER, node, start, null);
      store.published = opened;
      store.events.add(new Event(start.own(), to -> to.opened(opened)));
    }

    private void close(Store store, Candidate closed) {
      answers.add(closed);
      store.events.add(new Event(endOf(closed), to -> to.closed(closed, "", null)));
    }

    /** Late ends, and what is open, come after the gap that names the span. */
    private void speak(int node) {
      Store store = stores.get(node);
      Hvc from = Objects.requireNonNull(store.silentSince);
      miss(store, from, nodes.before(node));
      store.silentSince = null;
      store.late.sort(Comparator.comparingLong(WithinComputation::endOf));
      store.late.forEach(closed -> close(store, closed));
      store.late.clear();
      if (store.holds != null && store.published == null) {
        open(node, store.holds);
      }
    }

    private void miss(Store store, Hvc from, Hvc to) {
      doubts.add(new Doubt(from.own(), to.own(), false));
      store.events.add(new Event(from.own(), each -> each.missed(from.own(), to.own())));
    }

    private void restart(int node) {
      Store store = stores.get(node);
      if (!store.isSearched) {
        return;
      }
      Hvc first = nodes.write(node);
      long incarnation = ++store.incarnation;
      Hvc silent = store.silentSince;
      if (silent != null) {
        // It was killed.
        miss(store, silent, first);
        store.late.forEach(closed -> endedBy(first, closed));
        store.late.clear();
        store.silentSince = null;
      }
      if (store.published != null) {
        endedBy(first, store.published);
        store.published = null;
      }
      store.events.add(new Event(first.own(), to -> to.restarted(node, incarnation, first)));
      store.isSearched = false;
      firsts[node] = first;
    }

    /** What an incarnation left open, as far as is known. */
    private void endedBy(Hvc first, Candidate open) {
      Hvc start = open.interval().start();
      Hvc end = first.withOwn(Math.max(first.own() - 1, start.own()));
      answers.add(open.over(new Interval(start, end)));
    }

    private Hvc search(int node) {
      Store store = stores.get(node);
      if (store.holds != null && store.published == null) {
        open(node, nodes.before(node));
      }
      Hvc at = nodes.before(node);
      long incarnation = store.incarnation;
      store.events.add(new Event(at.own(), to -> to.searched(node, incarnation, at)));
      store.isSearched = true;
      return at;
    }

    private Candidate candidate(int term, int node, Hvc start, @Nullable Integer origin) {
      Store store = stores.get(node);
      CandidateId id = new CandidateId(node, store.incarnation, ++store.sequence);
      return new Candidate(
          0, term, id, new Interval(start, null), "k@" + id.sequence(), origin, new byte[0]);
    }
  }

  static long endOf(Candidate closed) {
    return Objects.requireNonNull(closed.interval().end()).own();
  }
}
