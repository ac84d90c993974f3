package io.palinode.simulation;

import com.google.protobuf.ByteString;
import com.google.protobuf.MessageLite;
import io.palinode.voldemort.client.Session;
import io.palinode.voldemort.cluster.StoreDefinition;
import io.palinode.voldemort.protocol.Pb0;
import io.palinode.voldemort.protocol.Pb0.RequestType;
import io.palinode.voldemort.protocol.Pb0.VoldemortRequest;
import io.palinode.voldemort.protocol.VectorClock;
import io.palinode.voldemort.protocol.Versioned;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One put or delete of a client. The first replica in order that accepts it decides; then it goes
 * to the others.
 */
final class ClientWrite {
  private final ClientCalls calls;
  private final World world;
  private final ClientCalls.Call call;
  private final String key;
  private final @Nullable String value;
  private final VectorClock onTopOf;
  private final List<Integer> order;
  private final int attempt;
  private final long pause;
  private final long millis;
  private int accepted;
  private int pending;

  ClientWrite(
      ClientCalls calls,
      ClientCalls.Call call,
      String key,
      @Nullable String value,
      VectorClock onTopOf,
      List<Integer> order,
      int attempt,
      long pause) {
    this.calls = calls;
    this.world = calls.world();
    this.millis = world.time().nowMicros() / 1_000;
    this.call = call;
    this.key = key;
    this.value = value;
    this.onTopOf = onTopOf;
    this.order = order;
    this.attempt = attempt;
    this.pause = pause;
  }

  void toFirst(int turn) {
    if (turn == order.size()) {
      call.fail("no node takes it");
      return;
    }
    int node = order.get(turn);
    calls.send(
        node,
        request(node),
        call.epoch,
        Session.NO_ORIGIN,
        (reply, answer) -> {
          switch (reply) {
            case COUNTS -> toOthers(node, answer);
            case PAUSED ->
                calls.again(
                    call,
                    pause,
                    () ->
                        calls.putRetrying(
                            call, key, value, order, attempt, ClientCalls.longer(pause)));
            case OBSOLETE -> afterFaster(node);
            case OVER -> call.fail("over");
            case FAILED -> toFirst(turn + 1);
          }
        });
  }

  /** Also reads the node with a newer version, in any routing. */
  private void afterFaster(int node) {
    if (attempt == ClientCalls.OBSOLETE_MAX) {
      call.fail("others were faster");
      return;
    }
    List<Integer> from = new ArrayList<>(List.of(node));
    order.stream().filter(other -> other != node).forEach(from::add);
    world
        .time()
        .in(50L * attempt, () -> calls.putRetrying(call, key, value, from, attempt + 1, pause));
  }

  private void toOthers(int first, @Nullable MessageLite answer) {
    long acceptedAt = answer == null ? 0 : Responses.context(answer).getAcceptedAt();
    accepted = 1;
    pending = order.size() - 1;
    for (int node : order) {
      if (node != first) {
        copy(node, first, acceptedAt, ClientCalls.PAUSE_MICROS_MIN);
      }
    }
    settle(first, acceptedAt);
  }

  private void copy(int node, int first, long acceptedAt, long wait) {
    calls.send(
        node,
        request(first),
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
            if (value != null) {
              acknowledged(first, acceptedAt);
            }
          });
    } else if (pending == 0) {
      call.fail("too few nodes have it");
    }
  }

  private void acknowledged(int first, long acceptedAt) {
    long epoch = calls.session().view().epochFor(call.epoch);
    world.requireSequential(epoch, key, clock(first), acceptedAt);
    world
        .clientChecks()
        .acknowledged(calls.client(), call.epoch, first, acceptedAt, key, clock(first));
  }

  /** As in production's store client. Evaluated at each answer, so a span may end meanwhile. */
  private int needed() {
    StoreDefinition store = world.shape().store();
    long now = NodeClock.EPOCH_MICROS + world.time().nowMicros();
    boolean all =
        world.seams().knowsSequentialKeys()
            && calls
                .session()
                .view()
                .sequential()
                .covers(key.getBytes(StandardCharsets.UTF_8), now);
    int sequential = store.replicationFactor() - store.requiredReads() + 1;
    return all
        ? Math.max(store.requiredWrites(), world.seams().sequentialWrites(sequential))
        : store.requiredWrites();
  }

  private VectorClock clock(int first) {
    return onTopOf.incremented(first, millis);
  }

  private VoldemortRequest request(int first) {
    ByteString written = ByteString.copyFromUtf8(key);
    if (value == null) {
      return ClientCalls.request(RequestType.DELETE)
          .setDelete(Pb0.DeleteRequest.newBuilder().setKey(written).setVersion(onTopOf.toProto()))
          .build();
    }
    Versioned version = Versioned.ofText(value, clock(first));
    return ClientCalls.request(RequestType.PUT)
        .setPut(Pb0.PutRequest.newBuilder().setKey(written).setVersioned(version.toProto()))
        .build();
  }
}
