package io.palinode.simulation.client;

import static java.util.stream.Collectors.toSet;

import io.palinode.detector.binding.Version;
import io.palinode.simulation.check.ClientChecks.How;
import io.palinode.simulation.check.ClientChecks.OldRead;
import io.palinode.simulation.store.Operation;
import io.palinode.simulation.store.SimulatedStore;
import io.palinode.simulation.world.World;
import io.palinode.voldemort.VoldemortRules;
import io.palinode.voldemort.client.session.EpochView;
import io.palinode.voldemort.client.session.Session;
import io.palinode.voldemort.client.session.SessionReads;
import io.palinode.voldemort.client.session.SessionReads.Stale;
import io.palinode.voldemort.client.session.SessionReads.Start;
import io.palinode.voldemort.protocol.VectorClock;
import io.palinode.voldemort.protocol.Versioned;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/**
 * Production's search for stale reads, of one process of a client. What it finds goes to the
 * checks, and to the node if the predicate is about it. Without vector clocks it finds nothing.
 */
final class JudgedReads {
  private static final int KEYS_MAX = 100;

  private final ClientCalls calls;
  private final SessionReads reads = new SessionReads(KEYS_MAX);

  /** The clocks that were written last, by key; for a planted bug. */
  private final Map<String, VectorClock> written = new HashMap<>();

  JudgedReads(ClientCalls calls) {
    this.calls = calls;
  }

  /** An operation begins. */
  Start begin() {
    return reads.begin(judgedIn(calls.session().view().epoch()));
  }

  /**
   * Finds out which versions of a read are old, states each to a node that returned it, and then
   * runs {@code then}.
   *
   * @param versions what the answers come to
   */
  void judge(
      ClientCalls.Call call,
      String key,
      Start start,
      List<ClientCalls.Found> answers,
      List<Version> versions,
      Runnable then) {
    Deque<Stale> stale = new ArrayDeque<>(read(key, start, answers, versions));
    if (world().shape().watched().isOfStaleReads()) {
      state(call, key, answers, stale, then);
    } else {
      then.run();
    }
  }

  private List<Stale> read(
      String key, Start start, List<ClientCalls.Found> answers, List<Version> versions) {
    Set<Long> epochs = answers.stream().map(ClientCalls.Found::epoch).collect(toSet());
    long epoch = epochs.size() == 1 ? epochs.iterator().next() : EpochView.UNKNOWN;
    if (versions.stream().anyMatch(version -> world().store().clock(version) == null)) {
      return List.of();
    }
    List<Versioned> returned = versions.stream().map(VoldemortRules::versioned).toList();
    List<Stale> stale =
        world()
            .seams()
            .stale(
                reads.read(SimulatedStore.NAME, bytes(key), start, judgedIn(epoch), returned),
                returned,
                written.getOrDefault(key, VectorClock.EMPTY));
    for (Stale each : stale) {
      Version read = VoldemortRules.version(each.read());
      Version later = VoldemortRules.version(new Versioned(new byte[0], each.before()));
      OldRead old = new OldRead(key, read, later, each.isWritten(), each.isAgain());
      world().clientChecks().readOld(calls.client(), epoch, old);
    }
    world().clientChecks().had(calls.client(), epoch, key, versions, How.READ);
    return stale;
  }

  /** A node that does not answer misses it, as in production. */
  private void state(
      ClientCalls.Call call,
      String key,
      List<ClientCalls.Found> answers,
      Deque<Stale> left,
      Runnable then) {
    Stale next = left.peek();
    if (next == null) {
      then.run();
      return;
    }
    calls.send(
        holder(answers, next.read()),
        new Operation.StaleRead(key, next),
        call.epoch,
        Session.NO_ORIGIN,
        (reply, answer) -> {
          if (reply == Reply.OVER) {
            call.fail("over");
          } else if (reply == Reply.PAUSED) {
            Runnable again = () -> state(call, key, answers, left, then);
            calls.again(call, ClientCalls.PAUSE_MICROS_MIN, again);
          } else {
            left.remove();
            state(call, key, answers, left, then);
          }
        });
  }

  private static int holder(List<ClientCalls.Found> answers, Versioned read) {
    Version version = VoldemortRules.version(read);
    return answers.stream()
        .filter(answer -> answer.versions().stream().anyMatch(version::isSameWriteAs))
        .findFirst()
        .orElseThrow()
        .node();
  }

  /** These versions were there before a write. */
  void found(String key, Start start, List<Version> versions) {
    List<VectorClock> clocks =
        versions.stream().map(world().store()::clock).filter(Objects::nonNull).toList();
    long epoch = calls.session().view().epoch();
    reads.found(SimulatedStore.NAME, bytes(key), start, judgedIn(epoch), clocks);
    world().clientChecks().had(calls.client(), epoch, key, versions, How.FOUND);
  }

  void wrote(String key, Start start, Version version) {
    VectorClock clock = world().store().clock(version);
    if (clock != null) {
      long epoch = calls.session().view().epoch();
      reads.wrote(SimulatedStore.NAME, bytes(key), start, judgedIn(epoch), clock);
      written.put(key, clock);
      world().clientChecks().had(calls.client(), epoch, key, List.of(version), How.WROTE);
    }
  }

  void deleted(String key) {
    reads.deleted(SimulatedStore.NAME, bytes(key));
  }

  private long judgedIn(long epoch) {
    return epoch == EpochView.UNKNOWN ? epoch : world().seams().judgedIn(epoch);
  }

  private World world() {
    return calls.world();
  }

  private static byte[] bytes(String key) {
    return key.getBytes(StandardCharsets.UTF_8);
  }
}
