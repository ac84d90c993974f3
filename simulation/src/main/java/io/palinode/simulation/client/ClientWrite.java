package io.palinode.simulation.client;

import io.palinode.detector.binding.Version;
import io.palinode.simulation.store.Answer;
import io.palinode.simulation.store.Operation;
import io.palinode.simulation.store.Replication;
import io.palinode.simulation.store.SeenByWriter;
import io.palinode.simulation.store.SimulatedStore;
import io.palinode.simulation.world.World;
import io.palinode.voldemort.client.session.Session;
import io.palinode.voldemort.client.session.SessionReads.Start;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One put or delete of a client. The first replica in order that accepts it decides; then it goes
 * to the others.
 */
final class ClientWrite {
  /** Of a copy, where stale reads are looked for. */
  private static final long COPY_LATE_MICROS_MAX = 100_000;

  /**
   * What is to be written, and how often that was tried.
   *
   * @param value null: the key is deleted
   * @param order in which the replicas are asked
   * @param number of the attempt, from 1
   * @param pause before the next attempt, if the nodes are paused
   */
  record Attempt(String key, @Nullable String value, List<Integer> order, int number, long pause) {
    static Attempt first(String key, @Nullable String value, List<Integer> order) {
      return new Attempt(key, value, order, 1, ClientCalls.PAUSE_MICROS_MIN);
    }

    Attempt afterPause() {
      return new Attempt(key, value, order, number, ClientCalls.longer(pause));
    }

    /** The next one, which asks {@code node} before the others. */
    Attempt beginningAt(int node) {
      List<Integer> from = new ArrayList<>(List.of(node));
      order.stream().filter(other -> other != node).forEach(from::add);
      return new Attempt(key, value, from, number + 1, pause);
    }
  }

  private final ClientCalls calls;
  private final World world;
  private final ClientCalls.Call call;
  private final Attempt attempt;
  private final List<Version> onTopOf;
  private final long micros;
  private final Start start;

  /** What the program has seen, if it states that. */
  private final @Nullable SeenByWriter seen;

  private final List<Version> begun = new ArrayList<>();
  private final List<Version> tried = new ArrayList<>();
  private int accepted;
  private int pending;

  ClientWrite(ClientCalls calls, ClientCalls.Call call, Attempt attempt, List<Version> onTopOf) {
    this.calls = calls;
    this.world = calls.world();
    this.micros = world.time().nowMicros();
    this.call = call;
    this.attempt = attempt;
    this.onTopOf = onTopOf;
    this.start = calls.reads().begin();
    SeenByProgram all = attempt.value() == null ? null : calls.seen();
    this.seen = all == null ? null : all.of(attempt.key(), onTopOf);
  }

  void toFirst(int turn) {
    if (turn == attempt.order().size()) {
      ends();
      call.fail("no node takes it");
      return;
    }
    int node = attempt.order().get(turn);
    calls.send(
        node,
        begins(write(node)),
        call.epoch,
        Session.NO_ORIGIN,
        (reply, answer) -> {
          switch (reply) {
            case COUNTS -> toOthers(node, answer);
            case PAUSED -> {
              ends();
              calls.again(
                  call, attempt.pause(), () -> calls.putRetrying(call, attempt.afterPause()));
            }
            case OBSOLETE -> afterFaster(node);
            case OVER -> {
              ends();
              call.fail("over");
            }
            case FAILED -> toFirst(turn + 1);
          }
        });
  }

  private Operation begins(Operation write) {
    if (calls.seen() == null || !(write instanceof Operation.Put put)) {
      return write;
    }
    begun.add(put.version());
    tried.add(put.version());
    calls.seen().begins(put.key(), put.version());
    return new Operation.Put(put.key(), put.version(), seen);
  }

  /** The outcome is known, as far as it ever is. */
  private void ends() {
    if (calls.seen() != null && !begun.isEmpty()) {
      calls.seen().ends(attempt.key(), begun, tried);
      begun.clear();
      tried.clear();
    }
  }

  /** Also reads the node with a newer version, in any routing. */
  private void afterFaster(int node) {
    if (!tried.isEmpty()) {
      // This node does not have it; one before may, whose answer did not come.
      tried.remove(tried.size() - 1);
    }
    ends();
    if (attempt.number() == ClientCalls.OBSOLETE_MAX) {
      call.fail("others were faster");
      return;
    }
    Attempt next = attempt.beginningAt(node);
    world.time().in(50L * attempt.number(), () -> calls.putRetrying(call, next));
  }

  private void toOthers(int first, @Nullable Answer answer) {
    long acceptedAt = answer == null ? 0 : answer.context().getAcceptedAt();
    accepted = 1;
    pending = attempt.order().size() - 1;
    for (int node : attempt.order()) {
      if (node != first && world.shape().watched().isOfStaleReads()) {
        long late = world.dice().mostlyNear(0, COPY_LATE_MICROS_MAX);
        world.time().in(late, () -> copy(node, first, acceptedAt, ClientCalls.PAUSE_MICROS_MIN));
      } else if (node != first) {
        copy(node, first, acceptedAt, ClientCalls.PAUSE_MICROS_MIN);
      }
    }
    settle(first, acceptedAt);
  }

  private void copy(int node, int first, long acceptedAt, long wait) {
    calls.send(
        node,
        write(first),
        call.epoch,
        first,
        (reply, answer) -> {
          if (reply == Reply.PAUSED && !call.isOverdue()) {
            world.time().in(wait, () -> copy(node, first, acceptedAt, ClientCalls.longer(wait)));
            return;
          }
          pending--;
          accepted += reply == Reply.COUNTS || reply == Reply.OBSOLETE ? 1 : 0;
          settle(first, acceptedAt);
        });
  }

  private void settle(int first, long acceptedAt) {
    if (accepted >= needed()) {
      call.end(
          new Outcome.Done(List.of()),
          () -> {
            if (write(first) instanceof Operation.Put put) {
              acknowledged(first, acceptedAt, put.version());
            }
            if (attempt.value() == null) {
              calls.reads().deleted(attempt.key());
            }
            world.acknowledged(first, calls.client(), attempt.key(), attempt.value());
          });
    } else if (pending == 0) {
      ends();
      call.fail("too few nodes have it");
    }
  }

  private void acknowledged(int first, long acceptedAt, Version version) {
    long epoch = calls.session().view().epochFor(call.epoch);
    world.requireSequential(epoch, attempt.key(), version, acceptedAt);
    calls.reads().wrote(attempt.key(), start, version);
    if (calls.seen() != null) {
      calls.seen().wrote(attempt.key(), version, acceptedAt);
      ends();
    }
    world
        .clientChecks()
        .acknowledged(calls.client(), call.epoch, first, acceptedAt, attempt.key(), version);
  }

  /** As in production's store client. Evaluated at each answer, so a span may end meanwhile. */
  private int needed() {
    Replication replication = world.shape().replication();
    long now = world.wallMicros();
    boolean all =
        world.seams().knowsSequentialKeys()
            && calls
                .session()
                .view()
                .sequential()
                .covers(attempt.key().getBytes(StandardCharsets.UTF_8), now);
    int sequential = replication.replicas() - replication.reads() + 1;
    return all
        ? Math.max(replication.writes(), world.seams().sequentialWrites(sequential))
        : replication.writes();
  }

  private Operation write(int first) {
    return world
        .store()
        .write(
            attempt.key(),
            attempt.value(),
            onTopOf,
            new SimulatedStore.Writer(calls.client(), first, micros));
  }
}
