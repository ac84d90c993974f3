package io.palinode.voldemort.client.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.palinode.voldemort.client.session.SessionReads.Stale;
import io.palinode.voldemort.client.session.SessionReads.Start;
import io.palinode.voldemort.protocol.Siblings;
import io.palinode.voldemort.protocol.VectorClock;
import io.palinode.voldemort.protocol.VectorClock.Relation;
import io.palinode.voldemort.protocol.Versioned;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * Sessions with several threads on three replicas with R = W = 1, whose copies come late or never,
 * with deletes that miss replicas, and with rollbacks. Each value is written once, so values name
 * versions. A session finds exactly the old reads of the definition over its whole log; and where
 * nothing is deleted, each of them was written before what the session had seen. Not so a version
 * whose counter its first node had issued before: its writer had read another node.
 */
class SessionReadsOracleTest {
  private static final int SEEDS = Integer.getInteger("palinode.seeds", 2_000);
  private static final int NODES = 3;
  private static final int SESSIONS = 2;
  private static final int STEPS = 100;
  private static final String STORE = "s";
  private static final byte[][] KEYS = {{1}, {2}};

  @Test
  void sessionsFindTheReadsOfTheDefinition() {
    int[] counts = new int[4];
    for (long seed = 0; seed < SEEDS; seed++) {
      Run run = new Run(seed);
      run.work();
      counts[0] += run.written;
      counts[1] += run.again;
      counts[2] += run.stale;
      counts[3] += run.fresh;
    }
    // Histories without old reads, or with nothing else, prove nothing.
    assertThat(counts[0]).as("older than what was written").isGreaterThan(SEEDS / 4);
    assertThat(counts[1]).as("older than what was read").isGreaterThan(SEEDS / 10);
    assertThat(counts[2]).as("stale").isGreaterThan(SEEDS);
    assertThat(counts[3]).as("fresh").isGreaterThan(SEEDS);
  }

  /** A put on top of {1:1} at a node that had issued its counter 1 before. */
  @Test
  void aCounterThatIsIssuedTwiceMakesALaterVersionOlder() {
    new Run(5_584).work();
  }

  private enum Kind {
    READ,
    WRITE,
    /** What a put found before it wrote. */
    FOUND,
    DELETE
  }

  /** What a session did, in whole: it began after some operations of the log had ended. */
  private record Op(int id, Kind kind, int key, long epoch, int after, List<Versioned> versions) {
    boolean endedBefore(List<Op> log, Op other) {
      return log.indexOf(this) < other.after && epoch == other.epoch && key == other.key;
    }

    boolean isOfLaterEpochThan(Op other) {
      return kind != Kind.DELETE && epoch > other.epoch;
    }

    boolean has(Versioned version) {
      return versions.stream().anyMatch(each -> each.text().equals(version.text()));
    }
  }

  /** A read whose answer has come, and that has not returned. */
  private record Pending(
      Session session, int key, Start start, int after, long epoch, List<Versioned> versions) {}

  private record Copy(int to, int key, Versioned version) {}

  private static final class Session {
    final SessionReads client = new SessionReads(KEYS.length);
    final List<Op> log = new ArrayList<>();
  }

  private static final class Run {
    private final Random random;
    private final String label;
    private final boolean deletes;
    private final List<List<List<Versioned>>> nodes = new ArrayList<>();
    private final List<Session> sessions = Stream.generate(Session::new).limit(SESSIONS).toList();
    private final List<Copy> inFlight = new ArrayList<>();
    private final List<Pending> pending = new ArrayList<>();
    private final Map<String, Integer> order = new HashMap<>();
    private final long[][] issued = new long[KEYS.length][NODES];
    private final Set<String> reissued = new HashSet<>();
    private long epoch = 1;
    private int ops;
    private int written;
    private int again;
    private int stale;
    private int fresh;

    Run(long seed) {
      random = new Random(seed);
      label = "seed=" + seed;
      deletes = random.nextBoolean();
      for (int node = 0; node < NODES; node++) {
        List<List<Versioned>> keys = new ArrayList<>();
        for (byte[] unused : KEYS) {
          keys.add(List.of());
        }
        nodes.add(keys);
      }
    }

    void work() {
      for (int i = 0; i < STEPS; i++) {
        Session session = sessions.get(random.nextInt(SESSIONS));
        int key = random.nextInt(KEYS.length);
        switch (random.nextInt(14)) {
          case 0, 1, 2, 3, 4, 5, 6 -> askToRead(session, key);
          case 7, 8 -> answer();
          case 9, 10 -> put(session, key);
          case 11 -> deliver();
          case 12 -> delete(session, key);
          default -> rollBack();
        }
      }
      while (!pending.isEmpty()) {
        answer();
      }
    }

    private void askToRead(Session session, int key) {
      Start start = session.client.begin(epoch);
      List<Versioned> all = nodes.get(random.nextInt(NODES)).get(key);
      Versioned resolved = Siblings.resolve(all);
      List<Versioned> got =
          random.nextInt(3) == 0 ? all : resolved == null ? List.of() : List.of(resolved);
      pending.add(new Pending(session, key, start, session.log.size(), epoch, got));
      if (random.nextInt(3) != 0) {
        finish(pending.remove(pending.size() - 1));
      }
    }

    /** Of any thread, in any order. */
    private void answer() {
      if (!pending.isEmpty()) {
        finish(pending.remove(random.nextInt(pending.size())));
      }
    }

    private void finish(Pending read) {
      Session session = read.session();
      Op op = new Op(++ops, Kind.READ, read.key(), read.epoch(), read.after(), read.versions());
      List<Stale> found =
          session.client.read(STORE, KEYS[read.key()], read.start(), read.epoch(), read.versions());
      if (session.log.stream().noneMatch(each -> each.isOfLaterEpochThan(op))) {
        assertThat(names(found.stream().map(Stale::read)))
            .as(label)
            .isEqualTo(names(op.versions().stream().filter(v -> isOld(session.log, op, v))));
        found.forEach(each -> check(session.log, op, each));
        stale += found.isEmpty() ? 0 : 1;
        fresh += found.isEmpty() ? 1 : 0;
      } else {
        assertThat(found).as(label + ": of an epoch that is over").isEmpty();
      }
      session.log.add(op);
    }

    private static Set<String> names(Stream<Versioned> versions) {
      return versions.map(Versioned::text).collect(Collectors.toCollection(TreeSet::new));
    }

    private boolean isOld(List<Op> log, Op read, Versioned version) {
      return later(log, read, version, Kind.WRITE, p -> p.kind() != Kind.DELETE) != null
          || later(log, read, version, Kind.READ, p -> p.kind() == Kind.READ) != null
          || later(log, read, version, Kind.READ, p -> p.kind() == Kind.WRITE) != null;
    }

    /**
     * An operation of a kind that ended before the read, with a version that supersedes the one
     * that was read; and before it began, an operation had ended that had that one.
     */
    private static @Nullable Op later(
        List<Op> log, Op read, Versioned version, Kind kind, Predicate<Op> first) {
      for (Op op : log) {
        boolean supersedes =
            op.versions().stream()
                .anyMatch(each -> version.clock().compare(each.clock()) == Relation.BEFORE);
        if (op.kind() == kind
            && supersedes
            && op.endedBefore(log, read)
            && noDeleteAround(log, op, read)
            && log.stream()
                .anyMatch(
                    before ->
                        first.test(before)
                            && before.has(version)
                            && before.endedBefore(log, op)
                            && noDeleteAround(log, before, op))) {
          return op;
        }
      }
      return null;
    }

    /** After a delete by itself, a session starts again. */
    private static boolean noDeleteAround(List<Op> log, Op from, Op to) {
      int end = log.contains(to) ? log.indexOf(to) : log.size();
      return log.subList(log.indexOf(from), end).stream()
          .noneMatch(op -> op.kind() == Kind.DELETE && op.key() == from.key());
    }

    private void check(List<Op> log, Op read, Stale found) {
      assertThat(found.read().clock().compare(found.before())).as(label).isEqualTo(Relation.BEFORE);
      Kind kind = found.isWritten() ? Kind.WRITE : Kind.READ;
      Op later =
          later(log, read, found.read(), kind, p -> !found.isAgain() || p.kind() == Kind.READ);
      assertThat(later).as(label).isNotNull();
      written += found.isWritten() ? 1 : 0;
      again += found.isAgain() ? 1 : 0;
      if ((found.isWritten() || !deletes) && !reissued.contains(found.read().text())) {
        int before =
            log.stream()
                .flatMap(op -> op.versions().stream())
                .filter(each -> each.clock().equals(found.before()))
                .mapToInt(each -> order.getOrDefault(each.text(), -1))
                .max()
                .orElseThrow();
        assertThat(order.get(found.read().text())).as(label).isLessThan(before);
      }
    }

    private void put(Session session, int key) {
      int first = random.nextInt(NODES);
      List<Versioned> present =
          nodes.get(random.nextInt(2) == 0 ? first : random.nextInt(NODES)).get(key);
      Start asked = session.client.begin(epoch);
      int afterAsked = session.log.size();
      List<VectorClock> clocks = present.stream().map(Versioned::clock).toList();
      session.client.found(STORE, KEYS[key], asked, epoch, clocks);
      session.log.add(new Op(++ops, Kind.FOUND, key, epoch, afterAsked, present));
      VectorClock base = clocks.stream().reduce(VectorClock.EMPTY, VectorClock::merge);
      int number = order.size() + 1;
      Versioned put = Versioned.ofText("v" + number, base.incremented(first, number));
      Start start = session.client.begin(epoch);
      int after = session.log.size();
      if (random.nextInt(3) == 0) {
        answer();
      }
      List<Versioned> left = Siblings.put(nodes.get(first).get(key), put);
      if (left == null) {
        return;
      }
      order.put(put.text(), number);
      if (put.clock().counter(first) <= issued[key][first]) {
        reissued.add(put.text());
      }
      issued[key][first] = Math.max(issued[key][first], put.clock().counter(first));
      nodes.get(first).set(key, left);
      session.client.wrote(STORE, KEYS[key], start, epoch, put.clock());
      session.log.add(new Op(++ops, Kind.WRITE, key, epoch, after, List.of(put)));
      for (int to = 0; to < NODES; to++) {
        if (to != first && random.nextInt(3) != 0) {
          inFlight.add(new Copy(to, key, put));
        }
      }
    }

    private void deliver() {
      if (inFlight.isEmpty()) {
        return;
      }
      Copy copy = inFlight.remove(random.nextInt(inFlight.size()));
      List<Versioned> left = Siblings.put(nodes.get(copy.to()).get(copy.key()), copy.version());
      if (left != null) {
        nodes.get(copy.to()).set(copy.key(), left);
      }
    }

    private void delete(Session session, int key) {
      if (!deletes) {
        return;
      }
      VectorClock upTo =
          nodes.get(random.nextInt(NODES)).get(key).stream()
              .map(Versioned::clock)
              .reduce(VectorClock.EMPTY, VectorClock::merge);
      for (List<List<Versioned>> node : nodes) {
        if (random.nextInt(4) != 0) {
          node.set(key, Siblings.delete(node.get(key), upTo));
        }
      }
      if (random.nextBoolean()) {
        session.client.deleted(STORE, KEYS[key]);
        session.log.add(new Op(++ops, Kind.DELETE, key, epoch, session.log.size(), List.of()));
      }
    }

    /** To what one node has. Copies on their way are discarded. */
    private void rollBack() {
      if (random.nextInt(4) != 0) {
        return;
      }
      epoch++;
      inFlight.clear();
      List<List<Versioned>> kept = nodes.get(random.nextInt(NODES));
      for (int node = 0; node < NODES; node++) {
        nodes.set(node, new ArrayList<>(kept));
      }
    }
  }
}
