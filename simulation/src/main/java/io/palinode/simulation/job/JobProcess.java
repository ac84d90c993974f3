package io.palinode.simulation.job;

import io.palinode.detection.DetectionLimits;
import io.palinode.detection.DetectionSpec;
import io.palinode.detection.Overflows;
import io.palinode.detection.Witness;
import io.palinode.monitor.CandidateEvent;
import io.palinode.monitor.Notice;
import io.palinode.monitor.Restart;
import io.palinode.monitor.instance.ActivePredicate;
import io.palinode.monitor.instance.Change;
import io.palinode.monitor.instance.Instance;
import io.palinode.monitor.instance.InstanceKey;
import io.palinode.monitor.instance.InstanceState;
import io.palinode.monitor.instance.Violations;
import io.palinode.monitor.judgement.ProgressWatermarks;
import io.palinode.monitor.sequence.KeptBack;
import io.palinode.monitor.sequence.SequenceCheck;
import io.palinode.monitor.sequence.SkippedNodes;
import io.palinode.monitor.sequence.WholeCheck;
import io.palinode.simulation.environment.Tail;
import io.palinode.simulation.world.PredicateVersion;
import io.palinode.simulation.world.World;
import io.palinode.wire.v1.CandidateRecord;
import io.palinode.wire.v1.IntervalRef;
import io.palinode.wire.v1.Violation;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The detection job: the cores are production's, what Flink does around them is written here once
 * more. Candidates and notices go from the source to detection by two channels, each in its order,
 * one as fast as it likes; a watermark counts when both have brought it.
 */
public final class JobProcess {
  private static final long CHECKPOINT_MICROS = 200_000;
  private static final long SKIP_GRACE_MS = 100;
  private static final long CHECKPOINT_RETRY_MICROS = 5_000;

  private final World world;
  private final Consumer<Checkpoint> checkpoints;
  private final Tail<PredicateVersion> predicates;
  private final List<Tail<CandidateRecord>> tails = new ArrayList<>();
  private final List<ProgressWatermarks> watermarks = new ArrayList<>();
  private final SequenceCheck sequences = new SequenceCheck();
  private final KeptBack keptBack = new KeptBack();
  private final SkippedNodes skipped;
  private final WholeCheck wholes = new WholeCheck();
  private final Channel events = new Channel();
  private final Channel notices = new Channel();
  private final JobSink sink;

  // What detection keeps.
  private final Map<String, Instance> instances = new TreeMap<>();
  private final Map<String, Notice> restarts = new TreeMap<>();
  private final KnownAnswers answers;
  private long newestEpoch;
  private long watermark = Long.MIN_VALUE;

  /** Whether the source's has moved, and has not gone on. */
  private boolean waitingWatermark;

  /** The newest version that is known; null: none. */
  private @Nullable ActivePredicate predicate;

  private @Nullable PredicateVersion taken;

  /** Of instances whose predicate's version is not known yet. */
  private final Map<String, Waiting> waiting = new TreeMap<>();

  private boolean alive = true;

  /** A way from the source to detection: what it brings keeps its order. */
  private final class Channel {
    private final ArrayDeque<Runnable> underWay = new ArrayDeque<>();
    private long watermark = Long.MIN_VALUE;
    private boolean moving;

    void send(Runnable arrival) {
      underWay.add(arrival);
      if (!moving) {
        moving = true;
        world.time().in(world.dice().mostlyNear(20, 3_000), this::move);
      }
    }

    void sendWatermark(long hlc) {
      send(
          () -> {
            watermark = Math.max(watermark, hlc);
            advance();
          });
    }

    private void move() {
      moving = false;
      // In one go, mostly: a channel brings what is there.
      for (int left = underWay.size(); alive && left > 0; left--) {
        underWay.remove().run();
      }
    }
  }

  /**
   * @param checkpoints receives each checkpoint, once it is complete
   */
  public JobProcess(World world, Checkpoint from, Consumer<Checkpoint> checkpoints) {
    this.world = world;
    this.checkpoints = checkpoints;
    this.sink = new JobSink(world, () -> alive);
    this.predicates =
        world
            .predicates()
            .tail(
                world.job(),
                from.predicates().read(),
                () -> alive,
                version -> notices.send(() -> received(version)));
    PredicateVersion known = from.predicates().newest();
    this.predicate = known == null ? null : known.detected(world.shape().nodes(), world.seams());
    this.taken = known;
    sequences.restore(from.source().positions());
    from.detection().instances().forEach((key, instance) -> instances.put(key, instance.copy()));
    restarts.putAll(from.detection().restarts());
    answers = from.detection().answers().copy();
    newestEpoch = from.detection().newestEpoch();
    keptBack.restore(from.source().keptBack());
    skipped = new SkippedNodes(world.shape().nodes(), sequences, keptBack);
    from.source().unexplained().forEach(wholes::restore);
    for (int partition = 0; partition < world.shape().candidates().partitions(); partition++) {
      int of = partition;
      watermarks.add(new ProgressWatermarks(world.shape().nodes(), skipping()));
      tails.add(
          world
              .candidates(partition)
              .tail(
                  world.job(),
                  from.offsets().get(partition),
                  () -> alive,
                  record -> read(of, world.seams().read(record))));
    }
  }

  private ProgressWatermarks.Skipping skipping() {
    long after = world.shape().candidates().skipAfter();
    return world.shape().candidates().skips()
        ? new ProgressWatermarks.Skipping(after, SKIP_GRACE_MS, () -> world.wallMicros() / 1_000)
        : ProgressWatermarks.Skipping.NEVER;
  }

  public void start() {
    world.predicates().follow(predicates);
    for (int partition = 0; partition < tails.size(); partition++) {
      world.candidates(partition).follow(tails.get(partition));
    }
    world.time().in(CHECKPOINT_MICROS, this::checkpoint);
  }

  public void die() {
    alive = false;
    predicates.close();
    tails.forEach(Tail::close);
    sink.close(world.dice().below(sink.underWay() + 1));
  }

  /** Whole when nothing is between source and sink; what was said until then is in the log. */
  private void checkpoint() {
    if (!alive) {
      return;
    }
    boolean isQuiet =
        events.underWay.isEmpty()
            && notices.underWay.isEmpty()
            && waiting.isEmpty()
            && sink.underWay() == 0;
    if (!isQuiet) {
      world.time().in(CHECKPOINT_RETRY_MICROS, this::checkpoint);
      return;
    }
    Map<String, Instance> copies = new LinkedHashMap<>();
    instances.forEach((key, instance) -> copies.put(key, instance.copy()));
    checkpoints.accept(
        new Checkpoint(
            new Checkpoint.Predicates(predicates.position(), taken),
            new Checkpoint.Source(
                tails.stream().map(Tail::position).toList(),
                List.copyOf(sequences.positions()),
                keptBack.states(),
                List.copyOf(wholes.unexplained())),
            new Checkpoint.Detection(copies, Map.copyOf(restarts), answers.copy(), newestEpoch)));
    world.time().in(CHECKPOINT_MICROS, this::checkpoint);
  }

  // ---- the source

  private void read(int partition, CandidateRecord record) {
    CandidateEvent event =
        CandidateEvent.parse(partition, world.shape().nodes(), record.toByteArray());
    boolean moved = watermarks.get(partition).observe(event);
    SequenceCheck.Outcome outcome = skipped.observe(event);
    for (Notice notice : outcome.notices()) {
      notices.send(() -> received(notice));
      if (notice.kind() == Notice.Kind.LOST) {
        wholes.lost(event.channel());
      }
    }
    if (!skipped.isSkipped(event.channel())) {
      passOn(event, outcome.fresh());
    }
    waitingWatermark |= moved;
    long least = watermarks.stream().mapToLong(ProgressWatermarks::watermark).min().orElseThrow();
    if (!waitingWatermark || least == ProgressWatermarks.NONE) {
      return;
    }
    for (Notice notice : skipped.pass(least, this::handOn)) {
      notices.send(() -> received(notice));
      wholes.lost(notice.sender().channel());
    }
    if (!keptBack.isWaiting()) {
      waitingWatermark = false;
      events.sendWatermark(least);
      notices.sendWatermark(least);
    }
  }

  private void passOn(CandidateEvent event, boolean fresh) {
    if (world.seams().keepsBack()) {
      keptBack.observe(event, fresh, this::handOn);
    } else if (fresh && !event.key().isEmpty()) {
      handOn(event);
    }
    for (Notice notice : wholes.observe(event, fresh, keptBack)) {
      notices.send(() -> received(notice));
    }
  }

  private void handOn(CandidateEvent event) {
    events.send(() -> received(event));
  }

  // ---- detection

  private void received(Notice notice) {
    switch (notice.kind()) {
      case EPOCH -> newestEpoch = Math.max(newestEpoch, notice.sender().epoch());
      case RESTARTED ->
          restarts.put(
              "%s/%06d".formatted(notice.sender().channel(), notice.sender().incarnation()),
              notice);
      case LOST -> {
        answers.lost(notice);
        sink.lost(notice.body());
      }
      case WHOLE -> answers.whole(notice);
      case PREDICATE, SEARCHED, REACHED -> {}
    }
  }

  private void received(PredicateVersion version) {
    ActivePredicate known = predicate;
    if (known != null && known.version() >= version.version()) {
      return;
    }
    world.trace().add("job", "detects", version::toString);
    world.detection().detecting(version.version());
    predicate = version.detected(world.shape().nodes(), world.seams());
    taken = version;
    List.copyOf(waiting.keySet()).forEach(this::settleWaiting);
    sink.sayWhatIsDue();
  }

  private void received(CandidateEvent event) {
    if (waiting.containsKey(event.key()) || !settle(event, watermark)) {
      waiting.computeIfAbsent(event.key(), key -> new Waiting()).events.add(event);
      settleWaiting(event.key());
    }
  }

  /** What can be settled is; for the rest judgement is held, once the watermark is past it. */
  private void settleWaiting(String key) {
    Waiting rest = waiting.get(key);
    if (rest == null) {
      return;
    }
    while (!rest.events.isEmpty()) {
      CandidateEvent event = rest.events.remove();
      // The watermark may have passed those behind it, of which the instance knows nothing yet.
      if (!settle(event, Math.min(watermark, rest.least() - 1))) {
        rest.events.addFirst(event);
        break;
      }
    }
    Long heldAt = rest.heldAt;
    if (rest.events.isEmpty()) {
      waiting.remove(key);
      if (heldAt != null) {
        sink.release(heldAt);
      }
    } else if (heldAt == null && rest.least() <= watermark) {
      rest.heldAt = rest.least();
      sink.hold(rest.least());
    }
  }

  /**
   * Applies or drops the event; false when it is of a version that is not known yet.
   *
   * @param reach up to which every event of its instance has been applied, with this one
   */
  private boolean settle(CandidateEvent event, long reach) {
    ActivePredicate known = predicate;
    long version = Change.interval(event.decode()).getPredicateVersion();
    ActivePredicate.Standing standing = ActivePredicate.standing(known, version);
    if (known == null || standing == ActivePredicate.Standing.AHEAD) {
      return !world.seams().waitsForPredicates();
    }
    DetectionSpec spec = known.spec();
    if (spec != null
        && standing == ActivePredicate.Standing.CURRENT
        && !Change.asksAgain(event.decode(), spec)) {
      apply(event, reach, known, spec);
    }
    return true;
  }

  private void apply(CandidateEvent event, long reach, ActivePredicate known, DetectionSpec spec) {
    Instance kept = instances.get(event.key());
    if (event.epoch() < newestEpoch || (kept != null && event.epoch() < kept.epoch())) {
      if (Change.asks(event.decode(), spec)) {
        sink.unjudged(event.partition(), Math.max(event.hlc(), watermark));
      }
      return;
    }
    if (kept != null && kept.isStale(event.epoch(), known)) {
      dropped(kept, spec, Math.max(event.hlc(), watermark));
      kept = null;
    }
    Instance instance =
        kept == null ? Instance.begin(event, known.version(), spec, DetectionLimits.DEFAULT) : kept;
    instance.unpack(spec, DetectionLimits.DEFAULT);
    List<Witness> found = caughtUp(instance, spec, Math.min(reach, event.hlc()));
    found.addAll(instance.apply(Change.of(event.decode(), spec)));
    if (reach > event.hlc()) {
      found.addAll(caughtUp(instance, spec, reach));
    }
    found.addAll(instance.progress(reach));
    publish(event.key(), instance, known, spec, Math.max(event.hlc(), watermark), found);
    save(event.key(), instance);
  }

  private void advance() {
    long reached = Math.min(events.watermark, notices.watermark);
    if (reached <= watermark) {
      return;
    }
    watermark = reached;
    List.copyOf(waiting.keySet()).forEach(this::settleWaiting);
    for (String key : List.copyOf(instances.keySet())) {
      Instance instance = instances.get(key);
      if (instance != null && instance.wakeAt() <= watermark) {
        wake(key, instance);
      }
    }
    sink.judge(reached);
  }

  private void wake(String key, Instance instance) {
    ActivePredicate known = predicate;
    DetectionSpec spec = known == null ? null : known.spec();
    if (known == null || spec == null || instance.isStale(newestEpoch, known)) {
      if (spec != null) {
        dropped(instance, spec, watermark);
      }
      instances.remove(key);
      return;
    }
    instance.unpack(spec, DetectionLimits.DEFAULT);
    Waiting rest = waiting.get(key);
    long reach = rest == null ? watermark : Math.min(watermark, rest.least() - 1);
    List<Witness> found = caughtUp(instance, spec, reach);
    found.addAll(instance.progress(reach));
    publish(key, instance, known, spec, watermark, found);
    save(key, instance);
  }

  private void save(String key, Instance instance) {
    if (instance.isEmpty()) {
      instances.remove(key);
      return;
    }
    if (world.dice().percent(5)) {
      instance.pack();
    }
    instances.put(key, instance);
  }

  private void dropped(Instance stale, DetectionSpec spec, long now) {
    if (spec.isWithin() && stale.wakeAt() != InstanceState.NO_WAKE) {
      sink.unjudged(stale.partition(), now);
    }
  }

  private List<Witness> caughtUp(Instance instance, DetectionSpec spec, long reach) {
    List<Witness> found = restarted(instance, reach);
    if (spec.isWithin()) {
      answers.pass(instance, spec, reach);
    }
    return found;
  }

  private List<Witness> restarted(Instance instance, long reach) {
    List<Witness> found = new ArrayList<>();
    for (Notice notice : restarts.values()) {
      Restart restart = Restart.of(notice);
      if (notice.partition() == instance.partition() && restart.isPassed(reach)) {
        found.addAll(instance.restarted(restart));
      }
    }
    return found;
  }

  private void publish(
      String key,
      Instance instance,
      ActivePredicate known,
      DetectionSpec spec,
      long now,
      List<Witness> found) {
    Overflows met = instance.takeOverflows();
    if (met.triggers() > 0) {
      sink.unjudged(instance.partition(), now);
    }
    if (met.total() > met.triggers()) {
      throw new IllegalStateException("a run is too small to meet a limit of detection");
    }
    InstanceKey of = InstanceKey.parse(key);
    IntervalRef interval =
        IntervalRef.newBuilder()
            .setPredicate(of.predicate())
            .setPredicateVersion(known.version())
            .setBinding(of.binding())
            .build();
    Map<String, Violation> latest = new LinkedHashMap<>();
    for (Witness witness : found) {
      Violation violation =
          Violations.of(interval, spec, instance.epoch(), witness, world.time().nowMicros());
      latest.put(violation.getId(), violation);
    }
    latest.values().forEach(sink::publish);
  }

  /** For the message of a failure. */
  @Override
  public String toString() {
    return "job at %s, watermark %d, %d instances, positions %s"
        .formatted(
            Arrays.toString(tails.stream().mapToInt(Tail::position).toArray()),
            watermark,
            instances.size(),
            sequences.positions().size());
  }
}
