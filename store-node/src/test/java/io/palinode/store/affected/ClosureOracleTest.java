package io.palinode.store.affected;

import static org.assertj.core.api.Assertions.assertThat;

import io.palinode.store.affected.Access.Kind;
import io.palinode.store.affected.Question.Moment;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** The closure beside its rules, applied to all accesses until nothing more follows. */
class ClosureOracleTest {
  private static final int SEEDS = Integer.getInteger("palinode.seeds", 5_000);
  private static final int NODES = 3;
  private static final int STEPS = 40;

  @Test
  void theClosureEqualsItsRulesAppliedInAnyOrder() {
    int some = 0;
    int everything = 0;
    for (long seed = 0; seed < SEEDS; seed++) {
      Run run = new Run(seed);
      Extent found = Closure.of(run.question(), run.traces());
      assertThat(found).as("seed=%d", seed).isEqualTo(run.byRules());
      if (found instanceof Affected affected && affected.clients().size() > 1) {
        some++;
      } else {
        everything++;
      }
    }
    // A run in which all or no clients are affected proves nothing.
    assertThat(some).isGreaterThan(SEEDS / 10);
    assertThat(everything).isGreaterThan(SEEDS / 100);
  }

  private record Event(int node, Access access) {
    boolean isSameWrite(Event other) {
      return access.key() == other.access.key()
          && access.write() == other.access.write()
          && access.client().equals(other.access.client());
    }
  }

  private static final class Run {
    private final Random random;
    private final List<Event> events = new ArrayList<>();
    private final Map<Integer, Long> clocks = new HashMap<>();
    private final Set<Moment> witnesses = new HashSet<>();

    Run(long seed) {
      random = new Random(seed);
      int keys = 2 + random.nextInt(8);
      int clients = 2 + random.nextInt(5);
      boolean named = random.nextInt(4) > 0;
      for (int i = 0; i < STEPS; i++) {
        String client = "c" + random.nextInt(clients);
        if (!named && client.equals("c0")) {
          client = "";
        }
        step(random.nextInt(keys), client);
      }
      List<Event> writes = of(Kind.WRITE, Kind.COPY);
      for (int i = random.nextInt(2); i >= 0; i--) {
        Event witness = writes.get(random.nextInt(writes.size()));
        witnesses.add(new Moment(witness.node(), witness.access().hlc()));
      }
    }

    private void step(long key, String client) {
      List<Event> writes = of(Kind.WRITE);
      int kind = random.nextInt(3);
      if (kind == 0 || writes.isEmpty()) {
        // Few different ones: after a delete, clocks restart.
        long write = 1L + random.nextInt(20);
        events.add(new Event(at(0), new Access(Kind.WRITE, hlc(), key, write, client)));
      } else if (kind == 1) {
        Event of = writes.get(random.nextInt(writes.size()));
        int node = at(of.access().hlc());
        Access written = of.access();
        events.add(
            new Event(
                node,
                new Access(Kind.COPY, hlc(), written.key(), written.write(), written.client())));
      } else {
        events.add(new Event(at(0), Access.read(hlc(), key, client)));
      }
    }

    private int node;

    /** A node, whose clock advances past {@code hlc}. Clocks of nodes are often equal. */
    private int at(long hlc) {
      node = random.nextInt(NODES);
      clocks.merge(node, hlc, Math::max);
      clocks.merge(node, 1L + random.nextInt(2), Long::sum);
      return node;
    }

    private long hlc() {
      return clocks.getOrDefault(node, 0L);
    }

    private List<Event> of(Kind... kinds) {
      return events.stream().filter(e -> List.of(kinds).contains(e.access().kind())).toList();
    }

    Question question() {
      return new Question(0, witnesses, 100, 100);
    }

    List<Trace> traces() {
      List<Trace> traces = new ArrayList<>();
      for (int of = 0; of < NODES; of++) {
        int at = of;
        traces.add(
            new Trace(
                of, 0, events.stream().filter(e -> e.node() == at).map(Event::access).toList()));
      }
      return traces;
    }

    Extent byRules() {
      Set<Event> undone = new HashSet<>();
      Set<Event> seen = new HashSet<>();
      boolean more = true;
      while (more) {
        more = false;
        for (Event event : events) {
          more |=
              switch (event.access().kind()) {
                case WRITE -> isUndone(event, undone, seen) && undone.add(event);
                case READ -> sees(event, undone) && seen.add(event);
                case COPY -> false;
              };
        }
      }
      Map<Long, Long> keys = new HashMap<>();
      undone.forEach(e -> keys.merge(e.access().key(), e.access().hlc() - 1, Math::min));
      Map<String, Long> clients = new HashMap<>();
      Set<Event> all = new HashSet<>(undone);
      all.addAll(seen);
      all.forEach(e -> clients.merge(e.access().client(), e.access().hlc() - 1, Math::min));
      return clients.containsKey("")
          ? new Everything("a client without a name has read or written what would be undone")
          : new Affected(keys, clients);
    }

    private boolean isUndone(Event write, Set<Event> undone, Set<Event> seen) {
      long hlc = write.access().hlc();
      String client = write.access().client();
      return events.stream().filter(this::isWitness).anyMatch(write::isSameWrite)
          || undone.stream()
              .anyMatch(e -> e.access().client().equals(client) && e.access().hlc() < hlc)
          || seen.stream()
              .anyMatch(e -> e.access().client().equals(client) && e.access().hlc() < hlc)
          || undone.stream()
              .anyMatch(e -> e.access().key() == write.access().key() && e.access().hlc() <= hlc);
    }

    private boolean isWitness(Event event) {
      return witnesses.contains(new Moment(event.node(), event.access().hlc()));
    }

    /** The node had an undone write of the key by then, or a copy of one. */
    private boolean sees(Event read, Set<Event> undone) {
      return events.stream()
          .filter(e -> e.node() == read.node() && e.access().key() == read.access().key())
          .filter(e -> e.access().hlc() <= read.access().hlc())
          .anyMatch(
              e -> undone.contains(e) || (e.access().kind() == Kind.COPY && isOfUndone(e, undone)));
    }

    private static boolean isOfUndone(Event copy, Set<Event> undone) {
      return undone.stream()
          .anyMatch(w -> w.isSameWrite(copy) && w.access().hlc() <= copy.access().hlc());
    }
  }
}
