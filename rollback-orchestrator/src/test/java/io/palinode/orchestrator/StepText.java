package io.palinode.orchestrator;

import io.palinode.hvc.Hlc;
import io.palinode.hvc.PointInTime;
import io.palinode.wire.v1.AffectedClient;
import io.palinode.wire.v1.ControlRecord;
import io.palinode.wire.v1.CoverageStep;
import io.palinode.wire.v1.GateStep;
import java.util.Locale;

/** Steps of the control log as lines of text, with HLC times in microseconds. */
final class StepText {
  static final String COVERAGE = "coverage:";

  private StepText() {}

  static String of(ControlRecord r) {
    String step =
        switch (r.getStepCase()) {
          case PLAN_OPENED ->
              "open "
                  + r.getPlanOpened().getViolationIdsList()
                  + " to "
                  + time(r.getPlanOpened().getTarget())
                  + (r.getPlanOpened().hasSnapshot()
                      ? " by " + r.getPlanOpened().getSnapshot().getId()
                      : "");
          case RESTORE ->
              (r.getRestore().getAsIs()
                      ? "as is "
                      : r.getRestore().getKeep() ? "keep " : "restore ")
                  + (r.getRestore().getKeep() && r.getRestore().getWhole() ? "all " : "")
                  + r.getRestore().getAttempt()
                  + " to "
                  + time(r.getRestore().getTarget())
                  + (r.getRestore().hasSnapshot()
                      ? " by " + r.getRestore().getSnapshot().getId()
                      : "")
                  + (r.getRestore().hasFromSlice()
                      ? " from " + r.getRestore().getFromSlice().getStore()
                      : "")
                  + (r.getRestore().getRestart() ? " restart" : "")
                  + (r.getRestore().hasAffected()
                      ? " of " + r.getRestore().getAffected().getWitnessesCount()
                      : "");
          case CONVERGE -> "converge " + r.getConverge().getAttempt();
          case RESUME ->
              "resume from "
                  + time(r.getResume().getTarget())
                  + sequential(r)
                  + after(r)
                  + restart(r)
                  + concerning(r);
          case HALTED -> "halt: " + r.getHalted().getReason();
          case GATE -> gate(r.getGate());
          case COVERAGE -> coverage(r.getCoverage());
          case SAFE_POINT -> "safe " + time(r.getSafePoint().getHlc());
          case RETRY -> "retry " + r.getRetry().getHalt();
          case ABANDON -> "abandon " + r.getAbandon().getHalt();
          case PAUSE,
              PAUSED,
              RESTORED,
              ACCESSED,
              NAMED,
              CONTRIBUTION,
              CONVERGED,
              NODE_JOINED,
              WATCHING,
              NODE_REPORT,
              CANCEL,
              EFFECT,
              DUTY_FAILED,
              SNAPSHOT,
              SERVING,
              STEP_NOT_SET ->
              r.getStepCase().name().toLowerCase(Locale.ROOT);
        };
    return r.getEpoch() + ": " + step;
  }

  private static String gate(GateStep step) {
    return switch (step.getStepCase()) {
      case ASKED -> "ask " + step.getAsked().getNumber() + " for " + step.getAsked().getPredicate();
      case LET_STAND ->
          "stand "
              + step.getLetStand().getPredicate()
              + " from "
              + time(step.getLetStand().getFromHlc())
              + " to "
              + time(step.getLetStand().getToHlc());
      case HELD_NO_MORE ->
          "no more " + step.getHeldNoMore().getPredicate() + step.getHeldNoMore().getBindingsList();
      case RENEWED -> "renew " + step.getRenewed().getPredicate();
      case STEP_NOT_SET -> "nothing";
    };
  }

  private static String coverage(CoverageStep step) {
    return switch (step.getStepCase()) {
      case FOUND -> COVERAGE + " gaps " + step.getFound().getGapsCount();
      case ACKNOWLEDGED -> COVERAGE + " acknowledged to " + step.getAcknowledged().getToNumber();
      case ABANDON_REPORTED -> COVERAGE + " abandon reported";
      case STEP_NOT_SET -> "nothing";
    };
  }

  private static String sequential(ControlRecord r) {
    long until = r.getResume().getSequentialUntilMicros();
    return until == 0 ? "" : " sequential until " + until;
  }

  private static String concerning(ControlRecord r) {
    return r.getResume().hasConcerned()
        ? " concerning "
            + r.getResume().getConcerned().getClientsList().stream()
                .map(AffectedClient::getClient)
                .toList()
        : "";
  }

  private static String restart(ControlRecord r) {
    return r.getResume().getRestart() ? " restart" : "";
  }

  private static String after(ControlRecord r) {
    long clock = r.getResume().getClock();
    return clock == r.getResume().getTarget() ? "" : " after " + time(clock);
  }

  /** As errors and reasons name the time. */
  static String iso(long micros) {
    return PointInTime.format(Hlc.ofMicros(micros));
  }

  /** {@code 100-} is the last time before 100 µs. */
  private static String time(long hlc) {
    return Hlc.counter(hlc) == Hlc.COUNTER_MAX ? (Hlc.micros(hlc) + 1) + "-" : Hlc.format(hlc);
  }
}
