package io.palinode.store.control;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.palinode.detector.LocalDetector;
import io.palinode.detector.Ticking;
import io.palinode.detector.TruthOracle;
import io.palinode.detector.VectorClock;
import io.palinode.detector.Watched;
import io.palinode.detector.binding.StoreKey;
import io.palinode.detector.binding.Version;
import io.palinode.detector.ring.CandidateRing;
import io.palinode.detector.ring.Emission;
import io.palinode.detector.terms.ActivePredicate;
import io.palinode.retroscope.snapshot.RollbackTimes;
import io.palinode.wire.v1.Abandon;
import io.palinode.wire.v1.ControlRecord;
import io.palinode.wire.v1.Converge;
import io.palinode.wire.v1.Halted;
import io.palinode.wire.v1.Pause;
import io.palinode.wire.v1.PlanOpened;
import io.palinode.wire.v1.Restore;
import io.palinode.wire.v1.Resume;
import io.palinode.wire.v1.Retry;
import io.palinode.wire.v1.SafePoint;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Nodes, clients and a scripted orchestrator over one log in memory. The seed chooses the next
 * actor. Nodes crash at chosen points and start again from their disks.
 */
final class SimulatedCluster {
  static final long WINDOW = 4_000L << 12;

  private static final int PIECE_BYTES_MAX = 60;
  static final List<ActivePredicate> ACTIVE =
      List.of(Watched.exact(1), Watched.edgeMutex(2), Watched.properColouring(3));

  /** The process ends here. */
  static final class CrashException extends RuntimeException {
    private static final long serialVersionUID = 1L;
  }

  /** A copy of a write on its way. */
  private record Copy(int to, long epoch, StoreKey key, Version version, int origin) {}

  final List<ControlRecord> log = new ArrayList<>();
  final List<Node> nodes = new ArrayList<>();
  final Random random;
  private final Ticking micros = new Ticking();
  private final List<Copy> inFlight = new ArrayList<>();

  /** The records of the nodes once all are paused and before the first restore. */
  private final List<Map<StoreKey, List<Version>>> atTarget = new ArrayList<>();

  /** The target of each plan and the first HLC of its epoch, by epoch. */
  private final List<long[]> discarded = new ArrayList<>();

  private long writes;

  SimulatedCluster(int size, long seed) {
    random = new Random(seed);
    for (int id = 0; id < size; id++) {
      nodes.add(new Node(id, size));
    }
    nodes.forEach(Node::start);
  }

  /** One node; a crash keeps only its disk. */
  final class Node {
    final int id;
    private final int size;
    final MemoryBinding.Disk disk = new MemoryBinding.Disk();

    /** Asked at each point where a process may end. */
    BooleanSupplier crashes = () -> false;

    private MemoryBinding store;
    private LocalDetector detector;
    private CandidateRing ring;
    private ControlExecution execution;
    private ControlState state;
    private boolean up;
    private boolean caughtUp;
    private boolean retryDue;
    private int read;
    int crashPoints;

    /** The emissions of this incarnation, in order. */
    final List<Emission> emitted = new ArrayList<>();

    Node(int id, int size) {
      this.id = id;
      this.size = size;
      boot();
    }

    private void boot() {
      // The first node's clock is ahead.
      long aheadMicros = id == 0 ? 300 : 0;
      store = new MemoryBinding(id, size, disk, () -> micros.getAsLong() + aheadMicros, WINDOW);
      ring = new CandidateRing(1 << 12, 2);
      detector = new LocalDetector(store, ring, i -> Math.floorMod(i.hashCode(), 2), 1 << 16);
      store.listen(detector);
      detector.setPredicates(ACTIVE);
      execution =
          new ControlExecution(store, detector, this::append, micros, () -> {}, PIECE_BYTES_MAX);
      state = NodeControl.initial(id, size, store.incarnation());
      read = 0;
      caughtUp = false;
      retryDue = false;
      emitted.clear();
    }

    /** Reads the log to its end, then acts. */
    void start() {
      boot();
      up = true;
      try {
        while (read < log.size()) {
          NodeControl.Step step = NodeControl.step(state, log.get(read++));
          assertThat(step.commands()).isEmpty();
          state = step.next();
        }
        caughtUp = true;
        take(NodeControl.caughtUp(state));
      } catch (CrashException e) {
        up = false;
      }
    }

    boolean isUp() {
      return up;
    }

    boolean hasRead() {
      return up && caughtUp && !retryDue && read == log.size();
    }

    /** One record, or the retry of what failed. */
    void act() {
      if (random.nextBoolean()) {
        detector.reportProgress();
      }
      ring.drain(emitted, Integer.MAX_VALUE);
      try {
        if (retryDue) {
          retryDue = false;
          take(NodeControl.retry(state));
        } else if (read < log.size()) {
          take(NodeControl.step(state, log.get(read++)));
        }
      } catch (CrashException e) {
        up = false;
      }
    }

    private void take(NodeControl.Step step) {
      state = step.next();
      if (retryDue) {
        return;
      }
      for (Command command : step.commands()) {
        crashPoint();
        try {
          command.execute(execution);
        } catch (IllegalStateException failed) {
          retryDue = true;
          return;
        }
        crashPoint();
      }
    }

    private void append(List<ControlRecord> records) {
      for (ControlRecord record : records) {
        log.add(record);
        crashPoint();
      }
    }

    private void crashPoint() {
      crashPoints++;
      if (crashes.getAsBoolean()) {
        throw new CrashException();
      }
    }

    MemoryBinding store() {
      return store;
    }

    LocalDetector detector() {
      return detector;
    }

    RollbackTimes rollbacks() {
      return state.rollbacks();
    }

    boolean isFenced() {
      return state.isFenced();
    }

    /** The intervals that the detector opened in the epoch; nothing was written since. */
    List<String> openInEpoch(long epoch) {
      ring.drain(emitted, Integer.MAX_VALUE);
      List<String> open = new ArrayList<>();
      for (Emission emission : emitted) {
        if (emission.epoch() == epoch && emission instanceof Emission.Opened opened) {
          open.add(TruthOracle.name(opened.interval()));
        }
        assertThat(emission).isNotInstanceOf(Emission.Gap.class);
      }
      return open;
    }

    void loseWindowLog() {
      disk.forgetBefore(micros.getAsLong() << 12);
    }
  }

  /** Writes and deliveries in an order that the seed chooses. */
  void work(int steps) {
    for (int i = 0; i < steps; i++) {
      if (inFlight.isEmpty() || random.nextInt(3) > 0) {
        write();
      } else {
        deliver(inFlight.remove(random.nextInt(inFlight.size())));
      }
      act();
    }
  }

  private void write() {
    Node first = nodes.get(random.nextInt(nodes.size()));
    StoreKey key =
        MemoryBinding.key(
            switch (random.nextInt(4)) {
              case 0 -> List.of("x", "y", "z").get(random.nextInt(3));
              case 1 -> "plain" + random.nextInt(10);
              default -> "cs_1_2_" + (1 + random.nextInt(2));
            });
    byte[] value = List.of("0", "1", "c1", "c2").get(random.nextInt(4)).getBytes(UTF_8);
    VectorClock clock = first.store().merged(key).increment(first.id);
    if (first.isUp() && first.store().put(key, value, clock, "w" + writes++, first.id)) {
      Version version = new Version(value, clock.bytes());
      for (Node other : nodes) {
        if (other.id != first.id) {
          inFlight.add(new Copy(other.id, first.store().epoch(), key, version, first.id));
        }
      }
    }
  }

  private void deliver(Copy copy) {
    Node to = nodes.get(copy.to());
    if (to.isUp() && to.store().epoch() == copy.epoch()) {
      VectorClock clock = VectorClock.of(copy.version().clock());
      to.store().put(copy.key(), copy.version().value(), clock, "w", copy.origin());
    }
  }

  /** One node, chosen by the seed, acts; a crashed node may start. */
  void act() {
    Node node = nodes.get(random.nextInt(nodes.size()));
    if (node.isUp()) {
      node.act();
    } else {
      node.start();
    }
  }

  void runUntil(BooleanSupplier done) {
    for (int i = 0; i < 20_000; i++) {
      if (done.getAsBoolean()) {
        return;
      }
      act();
    }
    throw new AssertionError("not done after 20000 steps; log ends with " + tail());
  }

  private List<ControlRecord> tail() {
    return log.subList(Math.max(0, log.size() - 12), log.size());
  }

  void settle() {
    runUntil(() -> nodes.stream().allMatch(Node::hasRead));
  }

  long now() {
    return micros.getAsLong() << 12;
  }

  // ---- the orchestrator

  /** Carries a plan out, with an attempt for each target; returns when all nodes serve again. */
  void rollBack(long epoch, List<Long> targets) {
    pause(epoch, targets.get(0));
    long target = 0;
    for (int attempt = 1; attempt <= targets.size(); attempt++) {
      target = outsideDiscarded(targets.get(attempt - 1));
      restore(epoch, attempt, target);
      converge(epoch, attempt);
    }
    resume(epoch, target);
  }

  /**
   * A plan that is halted once or twice, before or after its restore, and then retried or
   * abandoned.
   */
  void haltAndFinish(long epoch, long wanted, boolean abandon) {
    long target = outsideDiscarded(wanted);
    pause(epoch, target);
    int attempt = 0;
    int halts = 1 + random.nextInt(2);
    for (int halt = 1; halt <= halts; halt++) {
      if (random.nextBoolean()) {
        restore(epoch, ++attempt, target);
      }
      publish(record(epoch).setRetry(Retry.newBuilder().setHalt(halt)));
      publish(record(epoch).setHalted(Halted.newBuilder().setReason("halt " + halt)));
      publish(record(epoch).setAbandon(Abandon.newBuilder().setHalt(halt - 1)));
      publish(record(epoch).setResume(Resume.getDefaultInstance()));
      publish(
          abandon && halt == halts
              ? record(epoch).setAbandon(Abandon.newBuilder().setHalt(halt))
              : record(epoch).setRetry(Retry.newBuilder().setHalt(halt)));
    }
    attempt++;
    if (abandon) {
      publish(record(epoch).setRestore(Restore.newBuilder().setAttempt(attempt).setTarget(7)));
      keep(epoch, attempt, target);
    } else {
      restore(epoch, attempt, target);
    }
    converge(epoch, attempt);
    resume(epoch, target);
  }

  private void pause(long epoch, long target) {
    publish(record(epoch).setPlanOpened(PlanOpened.newBuilder().setTarget(target)));
    publish(record(epoch).setPause(Pause.getDefaultInstance()));
    awaitAll(epoch, r -> r.hasPaused() ? r.getPaused().getNode() : null);
    runUntil(() -> nodes.stream().allMatch(n -> n.isUp() && n.isFenced()));
    inFlight.clear();
  }

  private void resume(long epoch, long target) {
    long clock = clockOf(epoch);
    publish(record(epoch).setResume(Resume.newBuilder().setTarget(target).setClock(clock)));
    discarded.add(new long[] {target, clock});
    settle();
  }

  /** While a plan is carried out, nodes are on different cuts: the orchestrator chooses none. */
  private long outsideDiscarded(long target) {
    long cut = target;
    for (long[] plan : discarded) {
      cut = plan[0] < cut && cut < plan[1] ? plan[1] : cut;
    }
    return cut;
  }

  long clockOf(long epoch) {
    return log.stream()
        .filter(r -> r.getEpoch() == epoch)
        .mapToLong(r -> r.getConverged().getClock())
        .max()
        .orElse(0);
  }

  private void restore(long epoch, int attempt, long target) {
    atTarget.clear();
    nodes.forEach(node -> atTarget.add(node.disk.stateAt(target)));
    Restore.Builder asked = Restore.newBuilder().setAttempt(attempt).setTarget(target);
    publish(record(epoch).setRestore(asked.setSinceFrom(target - WINDOW / 2)));
    awaitRestored(epoch, attempt);
  }

  private void keep(long epoch, int attempt, long target) {
    settle();
    atTarget.clear();
    nodes.forEach(node -> atTarget.add(node.store().state()));
    Restore.Builder keep = Restore.newBuilder().setAttempt(attempt).setTarget(target);
    publish(record(epoch).setRestore(keep.setKeep(true)));
    awaitRestored(epoch, attempt);
  }

  private void awaitRestored(long epoch, int attempt) {
    awaitAll(
        epoch,
        r ->
            r.hasRestored() && r.getRestored().getAttempt() == attempt && r.getRestored().getLast()
                ? r.getRestored().getNode()
                : null);
  }

  private void converge(long epoch, int attempt) {
    publish(record(epoch).setConverge(Converge.newBuilder().setAttempt(attempt)));
    awaitAll(
        epoch,
        r ->
            r.hasConverged()
                    && r.getConverged().getAttempt() == attempt
                    && r.getConverged().getLast()
                ? r.getConverged().getNode()
                : null);
  }

  /** Nothing, once, or twice in a row: the seed decides; stray steps of old plans come between. */
  void publish(ControlRecord.Builder step) {
    ControlRecord record = step.build();
    int times = 1 + (random.nextInt(3) == 0 ? 1 : 0);
    for (int i = 0; i < times; i++) {
      log.add(record);
      if (random.nextInt(3) == 0) {
        stray(record.getEpoch());
      }
      act();
    }
  }

  /** Steps that a second orchestrator may append when it is behind. */
  private void stray(long epoch) {
    switch (random.nextInt(5)) {
      case 0 -> log.add(record(epoch - 1).setPause(Pause.getDefaultInstance()).build());
      case 1 ->
          log.add(
              record(epoch - 1)
                  .setRestore(Restore.newBuilder().setAttempt(9).setTarget(1))
                  .build());
      case 2 -> log.add(record(epoch - 1).setResume(Resume.getDefaultInstance()).build());
      case 3 -> log.add(record(epoch).setConverge(Converge.newBuilder().setAttempt(77)).build());
      default -> log.add(record(epoch + 1).setRestore(Restore.newBuilder().setAttempt(1)).build());
    }
  }

  private static ControlRecord.Builder record(long epoch) {
    return ControlRecord.newBuilder().setEpoch(epoch);
  }

  void publishSafePoint(long epoch, long hlc) {
    publish(record(epoch).setSafePoint(SafePoint.newBuilder().setHlc(hlc)));
  }

  private void awaitAll(
      long epoch, java.util.function.Function<ControlRecord, @Nullable Integer> nodeOf) {
    runUntil(
        () -> {
          Set<Integer> done = new HashSet<>();
          for (ControlRecord record : log) {
            Integer node = record.getEpoch() == epoch ? nodeOf.apply(record) : null;
            if (node != null) {
              done.add(node);
            }
          }
          return done.size() == nodes.size();
        });
  }

  long count(Predicate<ControlRecord> which) {
    return log.stream().filter(which).count();
  }

  // ---- checks after a rollback

  /** All replicas hold the join of their records at the target; detectors agree with it. */
  void check(long epoch) {
    new ClusterCheck(this).check(epoch);
  }

  List<Map<StoreKey, List<Version>>> atTarget() {
    return atTarget;
  }

  List<long[]> discarded() {
    return discarded;
  }
}
