package io.palinode.simulation;

import com.google.protobuf.ByteString;
import com.google.protobuf.MessageLite;
import io.palinode.simulation.check.ClientChecks;
import io.palinode.voldemort.client.MissingVersion;
import io.palinode.voldemort.client.RolledBack;
import io.palinode.voldemort.client.RolledBackException;
import io.palinode.voldemort.client.Session;
import io.palinode.voldemort.cluster.Ring;
import io.palinode.voldemort.protocol.ErrorCode;
import io.palinode.voldemort.protocol.Pb0;
import io.palinode.voldemort.protocol.Pb0.RequestType;
import io.palinode.voldemort.protocol.Pb0.VoldemortRequest;
import io.palinode.voldemort.protocol.Siblings;
import io.palinode.voldemort.protocol.VectorClock;
import io.palinode.voldemort.protocol.Versioned;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One client's calls. What it knows of epochs, clocks and the safe point is production's session;
 * what blocks there (the order of replicas, copies, repeats while nodes are paused) is written here
 * once more, with callbacks.
 */
final class ClientCalls implements Session.Listener {
  static final long PAUSE_MICROS_MIN = 2_000;
  private static final long PAUSE_MICROS_MAX = 50_000;
  private static final long PATIENCE_MICROS = 6 * Shape.REQUEST_TIMEOUT_MICROS;
  static final int OBSOLETE_MAX = 20;
  private static final int ROUTE_IGNORE_CHECKS = 2;

  private final World world;

  /** One process of the client; the next one does not know its answers. */
  private final int client;

  private final int endpoint;
  private final String name;
  private final Ring ring;
  private final Session session;
  private final Map<Integer, Connection> connections = new HashMap<>();
  private final List<Connection> opened = new ArrayList<>();
  private final long[] latencies;
  private boolean alive = true;
  private boolean probing;
  private long latestEpoch;

  /**
   * @param run the number of this process of the client
   */
  ClientCalls(World world, int client, int run) {
    this.world = world;
    this.client = client * ClientChecks.RUNS_MAX + run;
    this.endpoint = world.shape().nodes() + client;
    this.name = "client" + client;
    this.ring = new Ring(world.cluster(), world.shape().store().replicationFactor());
    this.session =
        Session.goingOn("c" + client + "." + run, Duration.ofNanos(PATIENCE_MICROS * 1_000));
    this.session.listen(this);
    this.latencies = new long[world.shape().nodes()];
    latencies[client % latencies.length] = -1;
  }

  interface OnReply {
    void replied(Reply reply, @Nullable MessageLite answer);
  }

  /** One call: all its requests are of one epoch, and it ends once. */
  final class Call {
    final long epoch;
    final long deadline;
    private final Consumer<Outcome> then;
    private boolean ended;

    Call(long epoch, Consumer<Outcome> then) {
      this.epoch = epoch;
      this.deadline = world.time().nowMicros() + PATIENCE_MICROS;
      this.then = then;
    }

    boolean isOverdue() {
      return world.time().nowMicros() > deadline;
    }

    /** Ends with the outcome; if the epoch is over, with the rollback, once it is known. */
    void end(Outcome outcome, Runnable ifCurrent) {
      if (ended || !alive) {
        return;
      }
      if (session.view().isCurrent(epoch)) {
        ended = true;
        ifCurrent.run();
        then.accept(outcome);
      } else if (session.view().doubt() != null) {
        awaitNews(() -> end(outcome, ifCurrent));
      } else {
        ended = true;
        then.accept(new Outcome.TakenBack(takenBackSince(epoch)));
      }
    }

    void fail(String reason) {
      end(new Outcome.Failed(reason), () -> {});
    }
  }

  World world() {
    return world;
  }

  Session session() {
    return session;
  }

  int client() {
    return client;
  }

  /** The epoch of the latest call; the client has notices of all rollbacks before. */
  long epoch() {
    return latestEpoch;
  }

  List<Connection> opened() {
    return opened;
  }

  /** Ends all calls, as the end of a process does. */
  void die() {
    alive = false;
    List.copyOf(opened).forEach(Connection::close);
  }

  // ---- calls

  void get(String key, Consumer<Outcome> then) {
    begin(
        call ->
            read(
                call,
                key,
                order(key),
                0,
                List.of(),
                answers -> repair(call, key, answers),
                found -> call.end(found, () -> {})),
        then);
  }

  void put(String key, String value, Consumer<Outcome> then) {
    begin(call -> putRetrying(call, key, value, order(key), 1, PAUSE_MICROS_MIN), then);
  }

  /** Of what R nodes have; nothing, if that is nothing. */
  void delete(String key, Consumer<Outcome> then) {
    begin(call -> putRetrying(call, key, null, order(key), 1, PAUSE_MICROS_MIN), then);
  }

  private void begin(Consumer<Call> work, Consumer<Outcome> then) {
    if (!alive) {
      return;
    }
    if (session.view().doubt() != null) {
      awaitNews(() -> begin(work, then));
      return;
    }
    try {
      latestEpoch = session.begin();
      work.accept(new Call(latestEpoch, then));
    } catch (RolledBackException e) {
      world.notified(client, e.rolledBack());
      then.accept(new Outcome.TakenBack(e.rolledBack()));
    }
  }

  private RolledBack takenBackSince(long epoch) {
    try {
      session.requireCurrent(epoch);
      throw new IllegalStateException("epoch " + epoch + " is current: " + session.view());
    } catch (RolledBackException e) {
      world.notified(client, e.rolledBack());
      return e.rolledBack();
    }
  }

  /** The first R nodes that answer, one after the other, and what they have together. */
  private void read(Call call, String key, List<Integer> order, int turn, Consumer<Outcome> then) {
    read(call, key, order, turn, List.of(), answers -> {}, then);
  }

  /** What one node has of a key, and in which epoch. */
  private record Found(int node, List<Versioned> versions, long epoch) {}

  /**
   * @param seen is given all answers, if they are enough
   */
  private void read(
      Call call,
      String key,
      List<Integer> order,
      int turn,
      List<Found> before,
      Consumer<List<Found>> seen,
      Consumer<Outcome> then) {
    if (turn == order.size()) {
      then.accept(new Outcome.Failed("too few nodes answer"));
      return;
    }
    VoldemortRequest request =
        request(RequestType.GET)
            .setGet(
                Pb0.GetRequest.newBuilder()
                    .setKey(ByteString.copyFromUtf8(key))
                    .setOrigins(world.shape().repairs()))
            .build();
    int node = order.get(turn);
    send(
        node,
        request,
        call.epoch,
        Session.NO_ORIGIN,
        (reply, answer) -> {
          if (reply == Reply.COUNTS && answer instanceof Pb0.GetResponse found) {
            List<Found> all = new ArrayList<>(before);
            all.add(found(node, found));
            if (all.size() == world.shape().store().requiredReads()) {
              seen.accept(all);
              then.accept(new Outcome.Done(together(all)));
            } else {
              read(call, key, order, turn + 1, all, seen, then);
            }
          } else if (reply == Reply.PAUSED) {
            again(call, PAUSE_MICROS_MIN, () -> read(call, key, order, 0, List.of(), seen, then));
          } else if (reply == Reply.OVER) {
            call.fail("over");
          } else {
            read(call, key, order, turn + 1, before, seen, then);
          }
        });
  }

  private static Found found(int node, Pb0.GetResponse answer) {
    return new Found(
        node,
        answer.getVersionedList().stream().map(Versioned::fromProto).toList(),
        answer.getPalinode().getEpoch());
  }

  private static List<Versioned> together(List<Found> ofNodes) {
    return ofNodes.size() == 1
        ? ofNodes.get(0).versions()
        : Siblings.merge(
            ofNodes.stream().flatMap(found -> found.versions().stream()).toList(), List.of());
  }

  /** Sends what nodes lack, once and only in the epoch in which all of it was read. */
  private void repair(Call call, String key, List<Found> answers) {
    long epoch = answers.get(0).epoch();
    boolean isOfOne = answers.stream().allMatch(found -> found.epoch() == epoch);
    boolean isPresent = session.view().epochFor(call.epoch) == epoch;
    if (!world.shape().repairs() || !isOfOne || !isPresent) {
      return;
    }
    Map<Integer, List<Versioned>> found = new LinkedHashMap<>();
    answers.forEach(answer -> found.put(answer.node(), answer.versions()));
    for (MissingVersion missing : MissingVersion.in(found)) {
      Versioned version = missing.version();
      VoldemortRequest put =
          request(RequestType.PUT)
              .setPut(
                  Pb0.PutRequest.newBuilder()
                      .setKey(ByteString.copyFromUtf8(key))
                      .setVersioned(version.toProto()))
              .build();
      int origin = version.origin() == null ? Session.NO_ORIGIN : version.origin();
      send(missing.node(), put, call.epoch, origin, missing.readAt(), (reply, answer) -> {});
    }
  }

  void again(Call call, long pause, Runnable work) {
    if (call.isOverdue()) {
      call.fail("paused for too long");
    } else {
      world.time().in(pause, work);
    }
  }

  void putRetrying(
      Call call, String key, @Nullable String value, List<Integer> order, int attempt, long pause) {
    read(
        call,
        key,
        order,
        0,
        outcome -> {
          if (outcome instanceof Outcome.Done found) {
            VectorClock merged = VectorClock.EMPTY;
            for (Versioned version : found.found()) {
              merged = merged.merge(version.clock());
            }
            if (value == null && merged.isEmpty()) {
              call.end(new Outcome.Done(List.of()), () -> {});
            } else {
              new ClientWrite(this, call, key, value, merged, order, attempt, pause).toFirst(0);
            }
          } else {
            call.end(outcome, () -> {});
          }
        });
  }

  static long longer(long pause) {
    return Math.min(PAUSE_MICROS_MAX, 2 * pause);
  }

  // ---- requests

  static VoldemortRequest.Builder request(RequestType type) {
    return VoldemortRequest.newBuilder()
        .setType(type)
        .setShouldRoute(false)
        .setStore(Shape.STORE)
        .setRequestRouteType(0);
  }

  void send(int node, VoldemortRequest request, long epoch, int origin, OnReply then) {
    send(node, request, epoch, origin, Session.NO_ORIGIN, then);
  }

  void send(int node, VoldemortRequest request, long epoch, int origin, int readAt, OnReply then) {
    if (!alive) {
      return;
    }
    VoldemortRequest message =
        request.toBuilder()
            .setPalinode(session.context(session.view().epochFor(epoch), origin, readAt))
            .build();
    long begun = world.time().nowMicros();
    traceRequest(message);
    connection(node)
        .send(
            message,
            new Connection.Exchange(
                epoch,
                answer -> {
                  if (alive) {
                    measure(node, begun, answer != null);
                    traceAnswer(message, answer);
                    then.replied(reply(epoch, answer), answer);
                  }
                }));
  }

  private void traceRequest(VoldemortRequest message) {
    Pb0.RequestContext by = message.getPalinode();
    if (message.hasPut() && !by.hasOrigin() && !by.hasReadAt()) {
      world
          .affected()
          .sent(
              by.getClient(),
              message.getPut().getKey().toStringUtf8(),
              Versioned.fromProto(message.getPut().getVersioned()));
    }
  }

  private void traceAnswer(VoldemortRequest asked, @Nullable MessageLite answer) {
    if (answer instanceof Pb0.GetResponse found) {
      world
          .affected()
          .given(
              asked.getPalinode().getClient(),
              asked.getGet().getKey().toStringUtf8(),
              found.getVersionedList().stream().map(Versioned::fromProto).toList());
    }
  }

  private Connection connection(int node) {
    Connection known = connections.get(node);
    if (known == null || known.isLost()) {
      known = new Connection(world, endpoint, world.machine(node));
      connections.put(node, known);
      opened.removeIf(Connection::isLost);
      opened.add(known);
    }
    return known;
  }

  private Reply reply(long epoch, @Nullable MessageLite answer) {
    if (answer == null) {
      return session.view().isOver(epoch) ? Reply.OVER : Reply.FAILED;
    }
    Session.Verdict verdict = session.observed(epoch, Responses.context(answer));
    return switch (verdict) {
      case PAUSED -> Reply.PAUSED;
      case EPOCH_OVER -> Reply.OVER;
      case COUNTS -> withoutError(answer);
    };
  }

  private static Reply withoutError(MessageLite answer) {
    Pb0.Error error = Responses.error(answer);
    if (error == null) {
      return Reply.COUNTS;
    }
    return error.getErrorCode() == ErrorCode.OBSOLETE_VERSION.code()
        ? Reply.OBSOLETE
        : Reply.FAILED;
  }

  private void measure(int node, long begun, boolean answered) {
    long took = answered ? world.time().nowMicros() - begun : Shape.REQUEST_TIMEOUT_MICROS;
    latencies[node] = latencies[node] == 0 ? took : (9 * latencies[node] + took) / 10;
  }

  /** The replicas of a key: as the ring has them, or the nearest first. */
  private List<Integer> order(String key) {
    List<Integer> order =
        new ArrayList<>(ring.preferenceList(key.getBytes(StandardCharsets.UTF_8)));
    if (world.shape().nearestFirst()) {
      order.sort(java.util.Comparator.comparingLong(node -> latencies[node]));
    }
    return order;
  }

  // ---- rollbacks

  @Override
  public void epochOver() {
    giveUp();
    if (!probing) {
      probing = true;
      probe(0, PAUSE_MICROS_MIN);
    }
  }

  @Override
  public void rolledBack(RolledBack rolledBack) {
    giveUp();
    world.trace().add(name, "rolled-back", rolledBack::toString);
  }

  /** Ends the calls; the client may repeat them at once by another connection. */
  private void giveUp() {
    for (Connection connection : List.copyOf(opened)) {
      connection.giveUp(exchange -> session.view().isOver(exchange.epoch));
    }
  }

  /** Asks the nodes in turn whether they serve the new epoch. */
  private void probe(int turn, long pause) {
    if (!alive || session.view().doubt() == null) {
      probing = false;
      return;
    }
    VoldemortRequest ask =
        request(RequestType.GET)
            .setRequestRouteType(ROUTE_IGNORE_CHECKS)
            .setGet(Pb0.GetRequest.newBuilder().setKey(ByteString.copyFromUtf8("probe")))
            .build();
    send(
        turn % world.shape().nodes(),
        ask,
        session.view().epoch(),
        Session.NO_ORIGIN,
        (reply, answer) -> {});
    world.time().in(pause, () -> probe(turn + 1, longer(pause)));
  }

  private void awaitNews(Runnable then) {
    world.time().in(PAUSE_MICROS_MIN, then);
  }

  /** The first request of a client that knows of no epoch yet. */
  void hello(Consumer<Boolean> then) {
    VoldemortRequest ask =
        request(RequestType.GET)
            .setRequestRouteType(ROUTE_IGNORE_CHECKS)
            .setGet(Pb0.GetRequest.newBuilder().setKey(ByteString.copyFromUtf8("probe")))
            .build();
    send(
        world.dice().below(world.shape().nodes()),
        ask,
        session.view().epoch(),
        Session.NO_ORIGIN,
        (reply, answer) -> then.accept(session.view().epoch() >= 0));
  }
}
