package io.palinode.wire;

import io.palinode.hvc.Hlc;
import io.palinode.wire.v1.ControlRecord;
import io.palinode.wire.v1.CoverageLost;
import io.palinode.wire.v1.CoverageStep;
import io.palinode.wire.v1.EffectStep;
import io.palinode.wire.v1.GateStep;
import io.palinode.wire.v1.Moment;
import io.palinode.wire.v1.NodeReport;
import io.palinode.wire.v1.Paused;
import io.palinode.wire.v1.PeerClock;
import io.palinode.wire.v1.PlanOpened;
import io.palinode.wire.v1.Restore;
import io.palinode.wire.v1.Resume;
import io.palinode.wire.v1.Sequential;
import io.palinode.wire.v1.SnapshotClosed;
import io.palinode.wire.v1.SnapshotOpened;
import io.palinode.wire.v1.SnapshotRef;
import io.palinode.wire.v1.SnapshotStep;
import io.palinode.wire.v1.SnapshotTaken;
import java.util.List;
import java.util.regex.Pattern;

/**
 * Bounds of control records. Pure, and the same for every reader: it uses only the record and its
 * place in the log. The state machines check what depends on the records before it, such as the
 * plan's epoch and attempt.
 */
public final class ControlRecordCheck {
  /** Names of snapshots become names of folders. */
  private static final Pattern SNAPSHOT_ID = Pattern.compile("[a-z][a-z0-9_-]{0,62}");

  /** The beginnings of keys in a report that cannot be restored. */
  public static final int NOT_RESTORED_MAX = 1_000;

  /** The peers in a report. */
  public static final int PEERS_MAX = 63;

  /** The most stores of a node that its report names. */
  public static final int STORES_MAX = 100;

  private final RecordBounds bounds;

  private ControlRecordCheck(RecordBounds bounds) {
    this.bounds = bounds;
  }

  /** Throws {@link IllegalArgumentException} for a record that no part of Palinode writes. */
  public static void require(ControlRecord record, RecordBounds bounds) {
    bounds.number("epoch", record.getEpoch());
    bounds.micros("at_micros", record.getAtMicros());
    new ControlRecordCheck(bounds).step(record);
  }

  private void step(ControlRecord record) {
    switch (record.getStepCase()) {
      case PLAN_OPENED -> planOpened(record.getPlanOpened());
      case PAUSED -> paused(record.getPaused());
      case RESTORE -> restore(record.getRestore());
      case RESTORED -> {
        bounds.node("node", record.getRestored().getNode());
        bounds.stepHlc("begun_at", record.getRestored().getBegunAt());
        bounds.stepHlc("clock", record.getRestored().getClock());
        notNegative("undone_writes", record.getRestored().getUndoneWrites());
        bounds.lasting("duration_micros", record.getRestored().getDurationMicros());
      }
      case ACCESSED -> bounds.node("node", record.getAccessed().getNode());
      case NAMED -> bounds.node("node", record.getNamed().getNode());
      case CONTRIBUTION -> bounds.node("node", record.getContribution().getNode());
      case CONVERGED -> {
        bounds.node("node", record.getConverged().getNode());
        bounds.stepHlc("clock", record.getConverged().getClock());
      }
      case RESUME -> resume(record.getResume());
      case SAFE_POINT -> bounds.hlc("hlc", record.getSafePoint().getHlc());
      case NODE_JOINED -> {
        bounds.node("node", record.getNodeJoined().getNode());
        bounds.stepHlc("reach", record.getNodeJoined().getReach());
        bounds.number("incarnation", record.getNodeJoined().getIncarnation());
      }
      case WATCHING -> {
        bounds.node("node", record.getWatching().getNode());
        bounds.number("incarnation", record.getWatching().getIncarnation());
        notNegative("version", record.getWatching().getVersion());
        name(record.getWatching().getPredicate());
      }
      case SERVING -> {
        bounds.node("node", record.getServing().getNode());
        bounds.number("incarnation", record.getServing().getIncarnation());
      }
      case DUTY_FAILED -> {
        bounds.node("node", record.getDutyFailed().getNode());
        notNegative("attempt", record.getDutyFailed().getAttempt());
        notNegative("halts", record.getDutyFailed().getHalts());
      }
      case NODE_REPORT -> report(record.getNodeReport());
      case COVERAGE -> coverage(record.getCoverage());
      case SNAPSHOT -> snapshot(record.getSnapshot());
      case GATE -> gate(record.getGate());
      case EFFECT -> effect(record.getEffect());
      case ABANDON -> {
        // At least one node runs, and each stopped node is listed once.
        RecordBounds.count("stopped", record.getAbandon().getStoppedCount(), bounds.nodes() - 1);
        record.getAbandon().getStoppedList().forEach(node -> bounds.node("stopped", node));
      }
      case PAUSE, CONVERGE, HALTED, RETRY, CANCEL -> {}
      case STEP_NOT_SET ->
          throw new IllegalArgumentException("a control record must hold a step of its kinds");
    }
  }

  private void planOpened(PlanOpened opened) {
    bounds.stepHlc("target", opened.getTarget());
    bounds.number("undoes", opened.getUndoes());
    bounds.number("approves", opened.getApproves());
    moments(opened.getWitnessesList());
    if (opened.hasSnapshot()) {
      snapshot(opened.getSnapshot());
    }
  }

  private void paused(Paused paused) {
    bounds.node("node", paused.getNode());
    bounds.stepHlc("reach", paused.getReach());
    bounds.stepHlc("quiet_since", paused.getQuietSince());
    bounds.number("incarnation", paused.getIncarnation());
    notNegative("accesses_since", paused.getAccessesSince());
  }

  private void restore(Restore restore) {
    bounds.stepHlc("target", restore.getTarget());
    bounds.stepHlc("past", restore.getPast());
    notNegative("round_bytes", restore.getRoundBytes());
    moments(restore.getAffected().getWitnessesList());
    if (restore.hasSnapshot()) {
      snapshot(restore.getSnapshot());
    }
  }

  private void resume(Resume resume) {
    bounds.stepHlc("target", resume.getTarget());
    bounds.stepHlc("clock", resume.getClock());
    bounds.plannedMicros("sequential_until_micros", resume.getSequentialUntilMicros());
    for (Sequential keys : resume.getSequentialList()) {
      bounds.micros("since_micros", keys.getSinceMicros());
      bounds.plannedMicros("until_micros", keys.getUntilMicros());
      bounds.lasting("hold_micros", keys.getHoldMicros());
    }
  }

  private void report(NodeReport report) {
    bounds.node("node", report.getNode());
    bounds.number("incarnation", report.getIncarnation());
    notNegative("epsilon_micros", report.getEpsilonMicros());
    notNegative("max_drift_micros", report.getMaxDriftMicros());
    bounds.node("refused_node", report.getRefusedNode());
    notNegative("clocks_refused", report.getClocksRefused());
    notNegative("refused_ahead_micros", report.getRefusedAheadMicros());
    bounds.micros("storage_refused_since_micros", report.getStorageRefusedSinceMicros());
    notNegative("storage_free_bytes", report.getStorageFreeBytes());
    RecordBounds.count("not_restored", report.getNotRestoredCount(), NOT_RESTORED_MAX);
    RecordBounds.count("stores", report.getStoresCount(), STORES_MAX);
    RecordBounds.count("peers", report.getPeersCount(), PEERS_MAX);
    for (PeerClock peer : report.getPeersList()) {
      bounds.node("peer", peer.getNode());
      long ahead = peer.getAheadMicrosMax();
      RecordBounds.range("ahead_micros_max", ahead < 0 ? -ahead : ahead, Hlc.MICROS_MAX);
    }
  }

  private void coverage(CoverageStep step) {
    switch (step.getStepCase()) {
      case FOUND -> {
        bounds.plannedMicros("held_until_micros", step.getFound().getHeldUntilMicros());
        for (CoverageLost gap : step.getFound().getGapsList()) {
          RecordChecks.coverageLost(gap, bounds);
        }
      }
      case ACKNOWLEDGED -> {
        notNegative("to_number", step.getAcknowledged().getToNumber());
        bounds.number("to_epoch", step.getAcknowledged().getToEpoch());
      }
      case ABANDON_REPORTED -> bounds.number("epoch", step.getAbandonReported().getEpoch());
      case STEP_NOT_SET ->
          throw new IllegalArgumentException("a coverage step must hold a step of its kinds");
    }
  }

  private void gate(GateStep step) {
    switch (step.getStepCase()) {
      case ASKED -> {
        bounds.number("number", step.getAsked().getNumber());
        name(step.getAsked().getPredicate());
        bounds.stepHlc("target", step.getAsked().getTarget());
        bounds.stepHlc("violate", step.getAsked().getViolate());
        bounds.stepHlc("last", step.getAsked().getLast());
      }
      case LET_STAND -> {
        name(step.getLetStand().getPredicate());
        bounds.stepHlc("from_hlc", step.getLetStand().getFromHlc());
        bounds.plannedHlc("to_hlc", step.getLetStand().getToHlc());
        bounds.number("rejects", step.getLetStand().getRejects());
      }
      case RENEWED -> name(step.getRenewed().getPredicate());
      case HELD_NO_MORE -> {
        name(step.getHeldNoMore().getPredicate());
        bounds.stepHlc("before", step.getHeldNoMore().getBefore());
      }
      case STEP_NOT_SET ->
          throw new IllegalArgumentException("a gate step must hold a step of its kinds");
    }
  }

  private void snapshot(SnapshotStep step) {
    switch (step.getStepCase()) {
      case OPENED -> opened(step.getOpened());
      case TAKE -> part(step.getTake().getNumber(), step.getTake().getNode());
      case PROGRESS -> {
        part(step.getProgress().getNumber(), step.getProgress().getNode());
        notNegative("keys", step.getProgress().getKeys());
        notNegative("bytes", step.getProgress().getBytes());
      }
      case TAKEN -> taken(step.getTaken());
      case GIVEN_UP -> part(step.getGivenUp().getNumber(), step.getGivenUp().getNode());
      case CLOSED -> closed(step.getClosed());
      case DELETED -> snapshotId(step.getDeleted().getId());
      // Durations are cut to the longest one where they are read: old logs hold longer ones.
      case SCHEDULE -> {}
      case STEP_NOT_SET ->
          throw new IllegalArgumentException("a snapshot step must hold a step of its kinds");
    }
  }

  private void opened(SnapshotOpened opened) {
    snapshot(opened.getSnapshot());
    bounds.stepHlc("hlc", opened.getHlc());
    RecordBounds.range("at_once", opened.getAtOnce(), Integer.MAX_VALUE);
    base(opened.getBase());
  }

  private void closed(SnapshotClosed closed) {
    snapshot(closed.getSnapshot());
    bounds.stepHlc("hlc", closed.getHlc());
    base(closed.getBase());
    RecordBounds.count("parts", closed.getPartsCount(), bounds.nodes());
    closed.getPartsList().forEach(this::taken);
  }

  private void taken(SnapshotTaken taken) {
    part(taken.getNumber(), taken.getNode());
    notNegative("keys", taken.getKeys());
    notNegative("changed", taken.getChanged());
    notNegative("bytes", taken.getBytes());
    bounds.lasting("duration_micros", taken.getDurationMicros());
  }

  private void part(long number, int node) {
    bounds.number("snapshot number", number);
    bounds.node("node", node);
  }

  /** Absent, or empty: a snapshot without a base is closed with an empty one. */
  private void base(SnapshotRef ref) {
    if (!ref.equals(SnapshotRef.getDefaultInstance())) {
      snapshot(ref);
    }
  }

  private void snapshot(SnapshotRef ref) {
    bounds.number("snapshot number", ref.getNumber());
    snapshotId(ref.getId());
  }

  private static void snapshotId(String id) {
    if (!SNAPSHOT_ID.matcher(id).matches()) {
      throw new IllegalArgumentException(
          "the name of a snapshot must be a letter a-z, then up to 62 of a-z, 0-9, - and _: %d characters"
              .formatted(id.length()));
    }
  }

  private void effect(EffectStep step) {
    switch (step.getStepCase()) {
      case ASKED -> {
        RecordBounds.text("request", step.getAsked().getRequest(), RecordChecks.ID_CHARS_MAX);
        bounds.stepHlc("target", step.getAsked().getTarget());
        moments(step.getAsked().getAffected().getWitnessesList());
      }
      case REPORTED -> {
        RecordBounds.text("request", step.getReported().getRequest(), RecordChecks.ID_CHARS_MAX);
        bounds.node("node", step.getReported().getNode());
        bounds.stepHlc("reach", step.getReported().getReach());
        bounds.stepHlc("now", step.getReported().getNow());
        moments(step.getReported().getWitnessesList());
      }
      case ACCESSED -> {
        RecordBounds.text("request", step.getAccessed().getRequest(), RecordChecks.ID_CHARS_MAX);
        bounds.node("node", step.getAccessed().getAccessed().getNode());
      }
      case STEP_NOT_SET ->
          throw new IllegalArgumentException("an effect step must hold a step of its kinds");
    }
  }

  /** A witness whose clock cannot be read is written with the greatest HLC. */
  private void moments(List<Moment> moments) {
    for (Moment moment : moments) {
      bounds.node("witness node", moment.getNode());
      notNegative("witness hlc", moment.getHlc());
    }
  }

  private static void name(String predicate) {
    RecordBounds.text("predicate", predicate, RecordChecks.NAME_CHARS_MAX);
  }

  private static void notNegative(String field, long value) {
    RecordBounds.range(field, value, Long.MAX_VALUE);
  }
}
