package io.palinode.simulation.client;

import com.google.protobuf.ByteString;
import io.palinode.detector.binding.Version;
import io.palinode.simulation.check.ClientChecks;
import io.palinode.simulation.node.NodeMachine;
import io.palinode.simulation.node.NodeProcess;
import io.palinode.simulation.store.Answer;
import io.palinode.simulation.store.MissingVersion;
import io.palinode.simulation.store.Operation;
import io.palinode.simulation.store.Request;
import io.palinode.simulation.world.Shape;
import io.palinode.simulation.world.World;
import io.palinode.voldemort.client.session.RolledBack;
import io.palinode.voldemort.client.session.RolledBackException;
import io.palinode.voldemort.client.session.Session;
import io.palinode.voldemort.client.session.SessionReads.Start;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
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
  private static final Operation PROBE = new Operation.Get("probe", false, true);

  private final World world;
  private final List<NodeMachine> machines;

  /** One process of the client; the next one does not know its answers. */
  private final int client;

  private final int endpoint;
  private final String name;
  private final Session session;
  private final JudgedReads reads;

  /** Null: no program states what it has seen. */
  private final @Nullable SeenByProgram seen;

  private final Map<Integer, Connection> connections = new HashMap<>();
  private final List<Connection> opened = new ArrayList<>();
  private final long[] latencies;
  private boolean alive = true;
  private boolean probing;
  private long latestEpoch;

  /**
   * @param run the number of this process of the client
   */
  ClientCalls(World world, List<NodeMachine> machines, int client, int run) {
    this.world = world;
    this.machines = machines;
    this.client = client * ClientChecks.RUNS_MAX + run;
    this.endpoint = world.shape().nodes() + client;
    this.name = "client" + client;
    this.session =
        Session.goingOn("c" + client + "." + run, Duration.ofNanos(PATIENCE_MICROS * 1_000));
    this.session.listen(this);
    this.reads = new JudgedReads(this);
    this.seen = world.shape().watched().isOfLostUpdates() ? new SeenByProgram(world) : null;
    this.latencies = new long[world.shape().nodes()];
    latencies[client % latencies.length] = -1;
  }

  interface OnReply {
    void replied(Reply reply, @Nullable Answer answer);
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

  long epoch() {
    return latestEpoch;
  }

  /** The process of a node is gone. */
  void disconnect(NodeProcess peer) {
    for (Connection connection : List.copyOf(opened)) {
      if (connection.isTo(peer)) {
        connection.peerDied();
      }
    }
  }

  /** Ends all calls, as the end of a process does. */
  void die() {
    alive = false;
    List.copyOf(opened).forEach(Connection::close);
  }

  // ---- calls

  void get(String key, Consumer<Outcome> then) {
    begin(
        call -> {
          Start start = reads.begin();
          List<Found> all = new ArrayList<>();
          read(
              call,
              key,
              anyOrder(key),
              0,
              List.of(),
              answers -> {
                repair(call, key, answers);
                all.addAll(answers);
              },
              found -> {
                Runnable end = () -> call.end(found, () -> noteRead(key, found));
                if (found instanceof Outcome.Done done) {
                  reads.judge(call, key, start, all, done.found(), end);
                } else {
                  end.run();
                }
              });
        },
        then);
  }

  private void noteRead(String key, Outcome outcome) {
    Version version =
        outcome instanceof Outcome.Done done ? world.store().resolve(done.found()) : null;
    if (seen != null && version != null) {
      seen.read(key, version);
    }
  }

  @Nullable SeenByProgram seen() {
    return seen;
  }

  JudgedReads reads() {
    return reads;
  }

  void put(String key, String value, Consumer<Outcome> then) {
    begin(call -> putRetrying(call, ClientWrite.Attempt.first(key, value, order(key))), then);
  }

  /** Of what R nodes have; nothing, if that is nothing. */
  void delete(String key, Consumer<Outcome> then) {
    begin(call -> putRetrying(call, ClientWrite.Attempt.first(key, null, order(key))), then);
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
  record Found(int node, List<Version> versions, long epoch) {}

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
    Operation get = new Operation.Get(key, world.shape().clients().repairs(), false);
    int node = order.get(turn);
    send(
        node,
        get,
        call.epoch,
        Session.NO_ORIGIN,
        (reply, answer) -> {
          if (reply == Reply.COUNTS && answer != null) {
            List<Found> all = new ArrayList<>(before);
            all.add(new Found(node, answer.found(), answer.context().getEpoch()));
            if (all.size() == world.shape().replication().reads()) {
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

  private List<Version> together(List<Found> ofNodes) {
    return ofNodes.size() == 1
        ? ofNodes.get(0).versions()
        : world
            .store()
            .rules()
            .merge(
                ofNodes.stream().flatMap(found -> found.versions().stream()).toList(), List.of());
  }

  /** Sends what nodes lack, once and only in the epoch in which all of it was read. */
  private void repair(Call call, String key, List<Found> answers) {
    long epoch = answers.get(0).epoch();
    boolean isOfOne = answers.stream().allMatch(found -> found.epoch() == epoch);
    boolean isPresent = session.view().epochFor(call.epoch) == epoch;
    if (!world.shape().clients().repairs() || !isOfOne || !isPresent) {
      return;
    }
    Map<Integer, List<Version>> found = new LinkedHashMap<>();
    answers.forEach(answer -> found.put(answer.node(), answer.versions()));
    for (MissingVersion missing : world.store().missing(found)) {
      Version version = missing.version();
      Operation put = new Operation.Put(key, version);
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

  void putRetrying(Call call, ClientWrite.Attempt attempt) {
    Start start = reads.begin();
    read(
        call,
        attempt.key(),
        attempt.order(),
        0,
        outcome -> {
          if (outcome instanceof Outcome.Done found) {
            reads.found(attempt.key(), start, found.found());
            if (attempt.value() == null && found.found().isEmpty()) {
              call.end(new Outcome.Done(List.of()), () -> {});
            } else {
              new ClientWrite(this, call, attempt, found.found()).toFirst(0);
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

  void send(int node, Operation operation, long epoch, int origin, OnReply then) {
    send(node, operation, epoch, origin, Session.NO_ORIGIN, then);
  }

  void send(int node, Operation operation, long epoch, int origin, int readAt, OnReply then) {
    if (!alive) {
      return;
    }
    Request message =
        new Request(
            operation,
            session.context(session.view().epochFor(epoch), origin, readAt, ByteString.EMPTY));
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

  private void traceRequest(Request asked) {
    boolean isCopy = asked.by().hasOrigin() || asked.by().hasReadAt();
    if (asked.operation() instanceof Operation.Put put && !isCopy) {
      world.affected().sent(asked.by().getClient(), put.key(), put.version());
    }
  }

  private void traceAnswer(Request asked, @Nullable Answer answer) {
    if (asked.operation() instanceof Operation.Get && answer != null) {
      world.affected().given(asked.by().getClient(), asked.key(), answer.found());
    }
  }

  private Connection connection(int node) {
    Connection known = connections.get(node);
    if (known == null || known.isLost()) {
      known = new Connection(world, endpoint, machines.get(node));
      connections.put(node, known);
      opened.removeIf(Connection::isLost);
      opened.add(known);
    }
    return known;
  }

  private Reply reply(long epoch, @Nullable Answer answer) {
    if (answer == null) {
      return session.view().isOver(epoch) ? Reply.OVER : Reply.FAILED;
    }
    Session.Verdict verdict = session.observed(epoch, answer.context());
    return switch (verdict) {
      case PAUSED -> Reply.PAUSED;
      case EPOCH_OVER -> Reply.OVER;
      case COUNTS -> withoutError(answer);
    };
  }

  private static Reply withoutError(Answer answer) {
    if (!answer.isRefused()) {
      return Reply.COUNTS;
    }
    return answer.is(Answer.Kind.OBSOLETE) ? Reply.OBSOLETE : Reply.FAILED;
  }

  private void measure(int node, long begun, boolean answered) {
    long took = answered ? world.time().nowMicros() - begun : Shape.REQUEST_TIMEOUT_MICROS;
    latencies[node] = latencies[node] == 0 ? took : (9 * latencies[node] + took) / 10;
  }

  /** The replicas of a key: as the ring has them, or the nearest first. */
  private List<Integer> order(String key) {
    List<Integer> order = new ArrayList<>(world.store().replicas(key));
    if (world.shape().clients().nearestFirst()) {
      order.sort(java.util.Comparator.comparingLong(node -> latencies[node]));
    }
    return order;
  }

  /** The same, from any one on where stale reads are looked for: so they are frequent enough. */
  private List<Integer> anyOrder(String key) {
    List<Integer> order = order(key);
    if (world.shape().watched().isOfStaleReads()) {
      Collections.rotate(order, world.dice().below(order.size()));
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
    if (seen != null) {
      seen.rolledBack(rolledBack);
    }
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
    send(
        turn % world.shape().nodes(),
        PROBE,
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
    send(
        world.dice().below(world.shape().nodes()),
        PROBE,
        session.view().epoch(),
        Session.NO_ORIGIN,
        (reply, answer) -> then.accept(session.view().epoch() >= 0));
  }
}
