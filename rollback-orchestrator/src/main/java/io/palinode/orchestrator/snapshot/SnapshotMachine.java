package io.palinode.orchestrator.snapshot;

import io.palinode.hvc.Hlc;
import io.palinode.hvc.PointInTime;
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
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Decides the records of snapshots ({@code control.proto} draws the steps). Not thread-safe. Pure:
 * records and the time are arguments, and the steps to append are results.
 *
 * <p>A step counts after it is read back. An unread step is repeated after a while; readers take
 * the first of two.
 */
public final class SnapshotMachine {
  private static final long ASK_AGAIN_MICROS = 5_000_000;

  private final SnapshotSettings settings;
  private final SnapshotCatalog snapshots;

  private final Map<SnapshotStep, Long> askedAt = new HashMap<>();
  private final Scheduling scheduling = new Scheduling();
  private ControlLogState rollbacks;
  private boolean live;

  public SnapshotMachine(SnapshotSettings settings) {
    this.settings = settings;
    this.snapshots = new SnapshotCatalog(settings);
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
      case OPENED -> {
        if (snapshots.opened(step.getOpened(), writtenMicros)) {
          scheduling.opened(step.getOpened(), writtenMicros);
        }
      }
      case TAKE ->
          snapshots.change(
              step.getTake().getNumber(), step.getTake().getNode(), p -> p.asked(nowMicros));
      case PROGRESS ->
          snapshots.change(
              step.getProgress().getNumber(),
              step.getProgress().getNode(),
              part -> part.progressed(step.getProgress(), nowMicros));
      case TAKEN ->
          snapshots.change(
              step.getTaken().getNumber(),
              step.getTaken().getNode(),
              part -> part.answered(step.getTaken(), nowMicros));
      case GIVEN_UP ->
          snapshots.change(
              step.getGivenUp().getNumber(),
              step.getGivenUp().getNode(),
              part -> part.failed(step.getGivenUp().getReason(), nowMicros));
      case CLOSED -> snapshots.closed(step.getClosed(), writtenMicros);
      case DELETED -> snapshots.deleted(step.getDeleted().getId());
      case SCHEDULE -> scheduling.follow(Schedule.of(step.getSchedule()));
      case STEP_NOT_SET -> {}
    }
    return decide(nowMicros);
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
              .formatted(PointInTime.format(hlc), PointInTime.format(now)));
    }
    requireWhole(hlc);
    long number = snapshots.nextNumber();
    SnapshotOpened.Builder opened =
        SnapshotOpened.newBuilder()
            .setHlc(hlc)
            .setKind(kind(request))
            .setAtOnce(request.atOnce())
            .setScheduled(scheduled);
    String base = request.base();
    if (base != null) {
      opened.setBase(snapshots.requireBase(base, request.rolling()).opened().getSnapshot());
      if (request.rolling()) {
        requireNoRollbackTo(base);
      }
    }
    String id =
        request.rolling()
            ? Objects.requireNonNull(base)
            : snapshots.freeId(request.id(), namedBy + number);
    snapshots.requireRoom(request.rolling());
    opened.setSnapshot(SnapshotRef.newBuilder().setId(id).setNumber(number));
    snapshots.request(opened.build());
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
    for (Snapshot snapshot : snapshots.open()) {
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
    if (snapshots.isUnderWay(id)) {
      throw new RefusedException("snapshot '" + id + "' is being taken: cancel it first");
    }
    snapshots.requireNoDependent(id, "deleted");
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
      snapshots.open().forEach(snapshot -> addSteps(snapshot, nowMicros, due));
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
    for (String id : scheduling.expired(snapshots.known(), nowMicros)) {
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
        snapshots.open().stream()
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
      snapshots.failed(step.getOpened());
    }
  }

  // ---- queries

  /** All snapshots, latest first. */
  public List<Snapshot> all() {
    return snapshots.all();
  }

  /** The snapshot of this name; or null. */
  public @Nullable Snapshot get(String id) {
    return snapshots.get(id);
  }

  /** The current move of a snapshot, or its last failed one; null: neither. */
  public @Nullable Snapshot roll(String id) {
    return snapshots.roll(id);
  }

  /** Whether the log holds the snapshot of this number, whatever its end. */
  public boolean isRead(long number) {
    return snapshots.isRead(number);
  }
}
