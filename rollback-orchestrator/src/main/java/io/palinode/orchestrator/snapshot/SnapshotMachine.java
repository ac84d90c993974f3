package io.palinode.orchestrator.snapshot;

import io.palinode.hvc.Hlc;
import io.palinode.orchestrator.request.RefusedException;
import io.palinode.orchestrator.state.ControlLogState;
import io.palinode.wire.v1.SnapshotClosed;
import io.palinode.wire.v1.SnapshotDeleted;
import io.palinode.wire.v1.SnapshotGivenUp;
import io.palinode.wire.v1.SnapshotKind;
import io.palinode.wire.v1.SnapshotOpened;
import io.palinode.wire.v1.SnapshotRef;
import io.palinode.wire.v1.SnapshotStep;
import io.palinode.wire.v1.SnapshotTake;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Decides the records of snapshots ({@code control.proto} draws the steps). Not thread-safe. Pure:
 * records and the time are arguments, and the steps to append are results.
 *
 * <p>A step counts after it is read back. An unread step is repeated after a while; readers take
 * the first of two.
 */
public final class SnapshotMachine {
  /** The limit of bases under a snapshot, as a reader reads each of them for each key. */
  private static final int BASES_MAX = 16;

  private static final long ASK_AGAIN_MICROS = 5_000_000;

  private final SnapshotSettings settings;

  /** Standing snapshots, and failed ones for display; the key is the name. */
  private final Map<String, Snapshot> known = new LinkedHashMap<>();

  /** By number: snapshots that are being taken. */
  private final Map<Long, Snapshot> open = new TreeMap<>();

  /** The last move of a snapshot, if it failed; the key is the name. */
  private final Map<String, Snapshot> failedRolls = new HashMap<>();

  /** By number: requested snapshots that are not in the log yet. */
  private final Map<Long, SnapshotOpened> requested = new TreeMap<>();

  private final Map<SnapshotStep, Long> askedAt = new HashMap<>();
  private final Scheduling scheduling = new Scheduling();
  private ControlLogState rollbacks;
  private long lastNumber;
  private long lastRequested;
  private boolean live;

  public SnapshotMachine(SnapshotSettings settings) {
    this.settings = settings;
    this.rollbacks = ControlLogState.empty(settings.nodes());
  }

  // ---- records of the log

  /**
   * Reads the next step of the log.
   *
   * @param writtenMicros wall clock of its writer
   */
  public List<SnapshotStep> read(SnapshotStep step, long writtenMicros, long nowMicros) {
    askedAt.remove(step);
    switch (step.getStepCase()) {
      case OPENED -> opened(step.getOpened(), writtenMicros);
      case TAKE ->
          change(step.getTake().getNumber(), step.getTake().getNode(), p -> p.asked(nowMicros));
      case PROGRESS ->
          change(
              step.getProgress().getNumber(),
              step.getProgress().getNode(),
              part -> part.progressed(step.getProgress(), nowMicros));
      case TAKEN ->
          change(
              step.getTaken().getNumber(),
              step.getTaken().getNode(),
              part -> part.answered(step.getTaken(), nowMicros));
      case GIVEN_UP ->
          change(
              step.getGivenUp().getNumber(),
              step.getGivenUp().getNode(),
              part -> part.failed(step.getGivenUp().getReason(), nowMicros));
      case CLOSED -> closed(step.getClosed(), writtenMicros);
      case DELETED -> deleted(step.getDeleted().getId());
      case SCHEDULE -> scheduling.follow(Schedule.of(step.getSchedule()));
      case STEP_NOT_SET -> {}
    }
    return decide(nowMicros);
  }

  private void opened(SnapshotOpened opened, long atMicros) {
    long number = opened.getSnapshot().getNumber();
    requested.remove(number);
    if (number > lastNumber) {
      lastNumber = number;
      open.put(number, Snapshot.opened(opened, settings.nodes(), atMicros));
      scheduling.opened(opened, atMicros);
    }
  }

  private void change(long number, int node, UnaryOperator<NodePart> change) {
    open.computeIfPresent(number, (n, snapshot) -> snapshot.with(node, change));
  }

  private void closed(SnapshotClosed closed, long atMicros) {
    Snapshot taken = open.remove(closed.getSnapshot().getNumber());
    if (taken == null) {
      return;
    }
    Snapshot ended = taken.closed(closed, atMicros);
    Snapshot before = known.get(ended.id());
    if (!ended.isRolling()) {
      // A failed run must not hide a standing snapshot of the same name.
      if (ended.isStanding() || before == null || !before.isStanding()) {
        known.remove(ended.id());
        known.put(ended.id(), ended);
      }
    } else if (before != null && ended.isStanding()) {
      known.put(ended.id(), before.movedBy(ended));
      failedRolls.remove(ended.id());
    } else {
      failedRolls.put(ended.id(), ended);
    }
  }

  private void deleted(String id) {
    known.remove(id);
    failedRolls.remove(id);
  }

  /** Reads the rollbacks of the log up to the next step. */
  public void follow(ControlLogState latest) {
    rollbacks = latest;
  }

  /** The log has been read up to its end. The machine acts from here on. */
  public List<SnapshotStep> caughtUp(long nowMicros) {
    live = true;
    return decide(nowMicros);
  }

  /** Time has passed. */
  public List<SnapshotStep> tick(long nowMicros) {
    return decide(nowMicros);
  }

  // ---- requests of operators

  /**
   * Opens a snapshot, which exists once the step is read back.
   *
   * @throws RefusedException naming the reason in one sentence
   */
  public SnapshotStep request(SnapshotRequest request, long nowMicros) throws RefusedException {
    return open(request, nowMicros, "s-", false);
  }

  private SnapshotStep open(
      SnapshotRequest request, long nowMicros, String namedBy, boolean scheduled)
      throws RefusedException {
    long now = Hlc.ofMicros(nowMicros);
    Long wanted = request.hlc();
    long hlc = wanted == null ? now : wanted;
    if (hlc > now) {
      throw new RefusedException(
          "a snapshot's time must not be in the future: %s, now is %s"
              .formatted(Hlc.format(hlc), Hlc.format(now)));
    }
    requireWhole(hlc);
    // A failed request may still reach the log, so no number is used twice.
    long number = Math.max(lastNumber, lastRequested) + 1;
    SnapshotOpened.Builder opened =
        SnapshotOpened.newBuilder()
            .setHlc(hlc)
            .setKind(kind(request))
            .setAtOnce(request.atOnce())
            .setScheduled(scheduled);
    String base = request.base();
    if (base != null) {
      opened.setBase(requireBase(base, request.rolling()).opened().getSnapshot());
    }
    String id =
        request.rolling() ? Objects.requireNonNull(base) : freeId(request.id(), namedBy + number);
    requireRoom(request.rolling());
    opened.setSnapshot(SnapshotRef.newBuilder().setId(id).setNumber(number));
    requested.put(number, opened.build());
    lastRequested = number;
    return SnapshotStep.newBuilder().setOpened(opened).build();
  }

  private void requireWhole(long hlc) throws RefusedException {
    String halfUndone = rollbacks.plans().halfUndoneAt(hlc);
    if (halfUndone != null) {
      throw new RefusedException(halfUndone);
    }
  }

  private static SnapshotKind kind(SnapshotRequest request) {
    if (request.base() != null) {
      return request.rolling()
          ? SnapshotKind.SNAPSHOT_KIND_ROLLING
          : SnapshotKind.SNAPSHOT_KIND_INCREMENTAL;
    }
    return request.hlc() == null
        ? SnapshotKind.SNAPSHOT_KIND_INSTANT
        : SnapshotKind.SNAPSHOT_KIND_RETROSPECTIVE;
  }

  private Snapshot requireBase(String id, boolean rolling) throws RefusedException {
    Snapshot base = known.get(id);
    if (base == null || base.phase() != Snapshot.Phase.COMPLETE) {
      throw new RefusedException("the base must be a complete snapshot: '" + id + "'");
    }
    if (underWay().anyMatch(o -> isRollOf(o, id))) {
      throw new RefusedException("snapshot '" + id + "' is being moved: try again after the move");
    }
    if (rolling) {
      requireNoDependent(id, "moved");
      requireNoRollbackTo(id);
    } else {
      requireFewBases(base);
    }
    return base;
  }

  /** Refuses a base under which there are too many. */
  private void requireFewBases(Snapshot base) throws RefusedException {
    int bases = 1;
    Snapshot below = base;
    // A moved snapshot names itself as its base.
    while (below != null && !below.base().equals(below.id()) && bases <= BASES_MAX) {
      below = known.get(below.base());
      bases += below == null ? 0 : 1;
    }
    if (bases > BASES_MAX) {
      throw new RefusedException(
          "a snapshot must have at most %d bases under it: take one without a base: base='%s'"
              .formatted(BASES_MAX, base.id()));
    }
  }

  private static boolean isRollOf(SnapshotOpened opened, String id) {
    return opened.getKind() == SnapshotKind.SNAPSHOT_KIND_ROLLING
        && opened.getSnapshot().getId().equals(id);
  }

  /** Snapshots that are being taken or requested. */
  private Stream<SnapshotOpened> underWay() {
    return Stream.concat(requested.values().stream(), open.values().stream().map(Snapshot::opened));
  }

  private void requireNoDependent(String id, String what) throws RefusedException {
    SnapshotOpened dependent =
        Stream.concat(
                underWay(),
                known.values().stream().filter(Snapshot::isStanding).map(Snapshot::opened))
            .filter(o -> o.getBase().getId().equals(id) && !isRollOf(o, id))
            .findFirst()
            .orElse(null);
    if (dependent != null) {
      throw new RefusedException(
          "snapshot '%s' is the base of '%s' and cannot be %s: delete that one first"
              .formatted(id, dependent.getSnapshot().getId(), what));
    }
  }

  private String freeId(@Nullable String wanted, String otherwise) throws RefusedException {
    if (wanted == null) {
      String id = otherwise;
      while (isTaken(id)) {
        id += "x";
      }
      return id;
    }
    if (isTaken(wanted)) {
      throw new RefusedException(
          "there is a snapshot '%s' already: choose another name, or delete it".formatted(wanted));
    }
    return wanted;
  }

  private boolean isTaken(String id) {
    Snapshot snapshot = known.get(id);
    return (snapshot != null && snapshot.isStanding())
        || underWay().anyMatch(o -> o.getSnapshot().getId().equals(id));
  }

  private void requireRoom(boolean rolling) throws RefusedException {
    if (underWay().count() >= settings.openMax()) {
      throw new RefusedException(
          "too many snapshots are in progress: limit %d; wait, or cancel one"
              .formatted(settings.openMax()));
    }
    if (!rolling && known.size() + underWay().count() >= settings.keptMax()) {
      throw new RefusedException(
          "too many snapshots: limit %d; delete some".formatted(settings.keptMax()));
    }
  }

  /** The step that sets the schedule. */
  public SnapshotStep schedule(Schedule wanted) {
    return SnapshotStep.newBuilder().setSchedule(wanted.toStep()).build();
  }

  public Schedule schedule() {
    return scheduling.schedule();
  }

  /**
   * Takes a snapshot right before a found violation, if the schedule asks for it.
   *
   * @param violate when the violation began to hold
   */
  public List<SnapshotStep> violationFound(long violate, long nowMicros) {
    List<SnapshotStep> due = new ArrayList<>();
    if (live && scheduling.isTriggered(nowMicros)) {
      addScheduled(violate - 1, nowMicros, due);
    }
    return due;
  }

  /**
   * The step that cancels the snapshot of this name.
   *
   * @throws RefusedException if no such snapshot is being taken
   */
  public SnapshotStep cancel(String id) throws RefusedException {
    for (Snapshot snapshot : open.values()) {
      if (snapshot.id().equals(id)) {
        return SnapshotStep.newBuilder().setClosed(snapshot.closing(true)).build();
      }
    }
    throw new RefusedException("snapshot '" + id + "' is not being taken");
  }

  /**
   * The step that deletes a snapshot.
   *
   * @throws RefusedException if it is being taken, or another snapshot or a rollback needs it
   */
  public SnapshotStep delete(String id) throws RefusedException {
    if (underWay().anyMatch(o -> o.getSnapshot().getId().equals(id))) {
      throw new RefusedException("snapshot '" + id + "' is being taken: cancel it first");
    }
    requireNoDependent(id, "deleted");
    requireNoRollbackTo(id);
    return SnapshotStep.newBuilder().setDeleted(SnapshotDeleted.newBuilder().setId(id)).build();
  }

  private void requireNoRollbackTo(String id) throws RefusedException {
    if (rollbacks.plans().isGoingTo(id)) {
      throw new RefusedException("a rollback is going to snapshot '" + id + "': wait for its end");
    }
  }

  // ---- steps to append

  private List<SnapshotStep> decide(long nowMicros) {
    List<SnapshotStep> due = new ArrayList<>();
    if (live) {
      open.values().forEach(snapshot -> addSteps(snapshot, nowMicros, due));
      addExpired(nowMicros, due);
      if (scheduling.isDue(nowMicros)) {
        addScheduled(null, nowMicros, due);
      }
    }
    due.removeIf(step -> !isToBeAsked(step, nowMicros));
    return due;
  }

  private void addScheduled(@Nullable Long hlc, long nowMicros, List<SnapshotStep> due) {
    try {
      SnapshotRequest request = new SnapshotRequest(null, hlc, null, false, 0);
      due.add(open(request, nowMicros, hlc == null ? "auto-" : "before-violation-", true));
    } catch (RefusedException notNow) {
      // No caller waits for a scheduled snapshot; it is tried again when due.
    }
  }

  /** Adds deletions, except while a plan is open, which may need any snapshot. */
  private void addExpired(long nowMicros, List<SnapshotStep> due) {
    if (rollbacks.plan() != null) {
      return;
    }
    for (String id : scheduling.expired(known.values(), nowMicros)) {
      try {
        due.add(delete(id));
      } catch (RefusedException needed) {
        // It is the base of another snapshot, and goes after that one.
      }
    }
  }

  private boolean isToBeAsked(SnapshotStep step, long nowMicros) {
    Long asked = askedAt.get(step);
    if (asked != null && nowMicros - asked < ASK_AGAIN_MICROS) {
      return false;
    }
    askedAt.put(step, nowMicros);
    return true;
  }

  private void addSteps(Snapshot snapshot, long nowMicros, List<SnapshotStep> due) {
    // Two orchestrators may have opened one name twice: the later one is cancelled.
    boolean isSecond =
        open.values().stream()
            .anyMatch(o -> o.number() < snapshot.number() && o.id().equals(snapshot.id()));
    if (isSecond || snapshot.isDoneEverywhere()) {
      SnapshotClosed end = isSecond ? snapshot.closing(true) : ending(snapshot);
      due.add(SnapshotStep.newBuilder().setClosed(end).build());
      return;
    }
    int atOnce = snapshot.opened().getAtOnce();
    long room = atOnce == 0 ? settings.nodes() : atOnce;
    for (NodePart part : snapshot.nodes()) {
      if (part.state() == NodePart.State.TAKING) {
        room--;
        addGivenUp(snapshot, part, nowMicros, due);
      }
    }
    for (NodePart part : snapshot.nodes()) {
      if (part.state() == NodePart.State.WAITING && room-- > 0) {
        due.add(
            SnapshotStep.newBuilder()
                .setTake(
                    SnapshotTake.newBuilder().setNumber(snapshot.number()).setNode(part.node()))
                .build());
      }
    }
  }

  /**
   * The end of a snapshot, spoiled if a rollback was half done at its cut. A node that answered has
   * passed the cut, so its later undos are later. The records of its earlier undos precede its
   * answer and have been read.
   */
  private SnapshotClosed ending(Snapshot snapshot) {
    String halfUndone = rollbacks.plans().halfUndoneAt(snapshot.opened().getHlc());
    return halfUndone == null ? snapshot.closing(false) : snapshot.closingSpoiled(halfUndone);
  }

  private void addGivenUp(
      Snapshot snapshot, NodePart part, long nowMicros, List<SnapshotStep> due) {
    if (nowMicros - part.reportedMicros() > settings.silenceMaxMicros()) {
      due.add(
          SnapshotStep.newBuilder()
              .setGivenUp(
                  SnapshotGivenUp.newBuilder()
                      .setNumber(snapshot.number())
                      .setNode(part.node())
                      .setReason(
                          "it sent no report for %d s"
                              .formatted(settings.silenceMax().toSeconds())))
              .build());
    }
  }

  /** The step did not reach the log. An operator's request is dropped. */
  public void failed(SnapshotStep step) {
    if (step.hasOpened()) {
      requested.remove(step.getOpened().getSnapshot().getNumber());
    }
  }

  // ---- queries

  /** All snapshots, latest first. */
  public List<Snapshot> all() {
    List<Snapshot> all = new ArrayList<>(known.values());
    open.values().stream().filter(snapshot -> !snapshot.isRolling()).forEach(all::add);
    all.sort((a, b) -> Long.compare(b.number(), a.number()));
    return all;
  }

  /** The snapshot of this name; or null. */
  public @Nullable Snapshot get(String id) {
    for (Snapshot snapshot : open.values()) {
      if (snapshot.id().equals(id) && !snapshot.isRolling()) {
        return snapshot;
      }
    }
    return known.get(id);
  }

  /** The current move of a snapshot, or its last failed one; null: neither. */
  public @Nullable Snapshot roll(String id) {
    for (Snapshot snapshot : open.values()) {
      if (snapshot.id().equals(id) && snapshot.isRolling()) {
        return snapshot;
      }
    }
    return failedRolls.get(id);
  }

  /** Whether the log holds the snapshot of this number, whatever its end. */
  public boolean isRead(long number) {
    return number <= lastNumber && !requested.containsKey(number);
  }
}
