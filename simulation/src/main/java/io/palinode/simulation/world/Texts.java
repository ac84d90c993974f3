package io.palinode.simulation.world;

import io.palinode.detector.binding.Version;
import io.palinode.hvc.Hlc;
import io.palinode.simulation.environment.NodeClock;
import io.palinode.simulation.store.Answer;
import io.palinode.simulation.store.Operation;
import io.palinode.simulation.store.Request;
import io.palinode.store.control.Command;
import io.palinode.wire.CandidateRecords;
import io.palinode.wire.v1.ApprovalAsked;
import io.palinode.wire.v1.CandidateRecord;
import io.palinode.wire.v1.ControlRecord;
import io.palinode.wire.v1.GateStep;
import io.palinode.wire.v1.LetStand;
import io.palinode.wire.v1.Violation;
import io.palinode.wire.v1.Witness;
import java.nio.charset.StandardCharsets;
import java.util.Locale;

/** What happens, in the words of a trace. Times are microseconds since the world began. */
public final class Texts {
  private Texts() {}

  public static String of(Command command) {
    String text = command.toString();
    return command instanceof Command.Contribute
            || command instanceof Command.Converge
            || command instanceof Command.ConvergeSome
        ? text.substring(0, Math.min(60, text.length()))
        : text.replaceAll("(target|clock|hlc)=(\\d{13,})", "$1=$2");
  }

  public static String what(Request request) {
    return request.operation().getClass().getSimpleName().toLowerCase(Locale.ROOT);
  }

  public static String value(Version version) {
    return new String(version.value(), StandardCharsets.UTF_8);
  }

  public static String of(Request request, Answer answer) {
    StringBuilder text = new StringBuilder(request.key());
    if (request.operation() instanceof Operation.Put put) {
      text.append('=').append(value(put.version()));
    }
    text.append(" epoch=").append(request.by().getEpoch());
    text.append(" by=").append(request.by().getClient());
    if (request.by().hasOrigin()) {
      text.append(" copy-of=").append(request.by().getOrigin());
    }
    if (request.by().hasReadAt()) {
      text.append(" read-at=").append(request.by().getReadAt());
    }
    if (answer.context().getAcceptedAt() != 0) {
      text.append(" at=").append(time(answer.context().getAcceptedAt()));
    }
    Answer.Refusal refusal = answer.refusal();
    return refusal == null ? text.toString() : text + " refused: " + refusal.message();
  }

  public static String of(ControlRecord record) {
    StringBuilder text = new StringBuilder();
    text.append(record.getStepCase()).append(" epoch=").append(record.getEpoch());
    switch (record.getStepCase()) {
      case PLAN_OPENED -> text.append(" target=").append(time(record.getPlanOpened().getTarget()));
      case PAUSED -> text.append(" reach=").append(time(record.getPaused().getReach()));
      case RESTORE ->
          text.append(" attempt=")
              .append(record.getRestore().getAttempt())
              .append(" target=")
              .append(time(record.getRestore().getTarget()))
              .append(record.getRestore().getKeep() ? " keep" : "")
              .append(record.getRestore().getAsIs() ? " as-is" : "")
              .append(record.getRestore().getWhole() ? " whole" : "")
              .append(record.getRestore().hasAffected() ? " affected" : "")
              .append(' ')
              .append(record.getRestore().getReason());
      case RESTORED ->
          text.append(" attempt=")
              .append(record.getRestored().getAttempt())
              .append(" undone=")
              .append(record.getRestored().getUndoneWrites())
              .append(' ')
              .append(record.getRestored().getFailure());
      case CONVERGED ->
          text.append(" attempt=")
              .append(record.getConverged().getAttempt())
              .append(" holding=")
              .append(record.getConverged().getHoldingCount())
              .append(" clock=")
              .append(time(record.getConverged().getClock()));
      case RESUME ->
          text.append(" target=")
              .append(time(record.getResume().getTarget()))
              .append(" clock=")
              .append(time(record.getResume().getClock()))
              .append(record.getResume().hasConcerned() ? " concerned=" : "")
              .append(
                  record.getResume().getConcerned().getClientsList().stream()
                      .map(each -> each.getClient() + "@" + time(each.getStandsTo()))
                      .toList());
      case DUTY_FAILED ->
          text.append(" node=")
              .append(record.getDutyFailed().getNode())
              .append(" attempt=")
              .append(record.getDutyFailed().getAttempt())
              .append(' ')
              .append(record.getDutyFailed().getDuty());
      case HALTED -> text.append(' ').append(record.getHalted().getReason());
      case GATE -> text.append(' ').append(of(record.getGate()));
      case COVERAGE ->
          text.append(' ')
              .append(record.getCoverage().getStepCase())
              .append(" gaps=")
              .append(record.getCoverage().getFound().getGapsCount())
              .append(" to=")
              .append(record.getCoverage().getAcknowledged().getToNumber());
      case SAFE_POINT -> text.append(" at=").append(time(record.getSafePoint().getHlc()));
      default -> {}
    }
    return text.toString();
  }

  private static String of(GateStep gate) {
    if (gate.hasAsked()) {
      ApprovalAsked asked = gate.getAsked();
      return "asks %d from=%s to=%s target=%s"
          .formatted(
              asked.getNumber(),
              time(asked.getViolate()),
              time(asked.getLast()),
              time(asked.getTarget()));
    }
    if (gate.hasLetStand()) {
      LetStand let = gate.getLetStand();
      return "lets-stand from=%s to=%s rejects=%d%s"
          .formatted(
              time(let.getFromHlc()),
              time(let.getToHlc()),
              let.getRejects(),
              let.getHeld() ? " held" : "");
    }
    return gate.getStepCase().name();
  }

  public static String of(CandidateRecord record) {
    if (record.hasOpened()) {
      return "opened #%d %s at=%s"
          .formatted(
              record.getSequence(),
              record.getOpened().getValues(0).getKey().toStringUtf8(),
              time(CandidateRecords.decode(record.getOpened().getStart()).own()));
    }
    if (record.hasGap()) {
      return "gap #%d to #%d %s to %s"
          .formatted(
              record.getGap().getFirstSequence(),
              record.getGap().getLastSequence(),
              time(record.getGap().getFromHlc()),
              time(record.getGap().getToHlc()));
    }
    if (!record.hasClosed()) {
      return "%s #%d at=%s"
          .formatted(
              record.hasProgress() ? "progress" : "stopped",
              record.getSequence(),
              time(CandidateRecords.ownTime(record)));
    }
    return "closed #%d of #%d %s at=%s"
        .formatted(
            record.getSequence(),
            record.getClosed().getOpenedSequence(),
            record.getClosed().getOpenedBy().getKey().toStringUtf8(),
            time(CandidateRecords.decode(record.getClosed().getEnd()).own()));
  }

  public static String of(Violation violation) {
    StringBuilder text = new StringBuilder(violation.getId().substring(0, 8));
    text.append(' ').append(violation.getBinding()).append(' ').append(violation.getGrade());
    text.append(" epoch=").append(violation.getEpoch());
    text.append(" violate=").append(time(violation.getViolate()));
    for (Witness witness : violation.getWitnessesList()) {
      text.append(
          " node%d.%d#%d"
              .formatted(witness.getNode(), witness.getIncarnation(), witness.getSequence()));
    }
    return text.toString();
  }

  /** A timestamp, as microseconds since the world began. */
  public static String time(long hlc) {
    if (Hlc.micros(hlc) < NodeClock.EPOCH_MICROS / 2) {
      return Hlc.format(hlc);
    }
    long micros = Hlc.micros(hlc) - NodeClock.EPOCH_MICROS;
    return Hlc.counter(hlc) == 0 ? Long.toString(micros) : micros + "." + Hlc.counter(hlc);
  }
}
