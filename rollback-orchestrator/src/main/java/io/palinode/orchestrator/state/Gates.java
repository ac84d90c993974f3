package io.palinode.orchestrator.state;

import io.palinode.hvc.Hlc;
import io.palinode.orchestrator.plan.Plan;
import io.palinode.orchestrator.plan.StandingViolations;
import io.palinode.orchestrator.violations.ApprovalRequest;
import io.palinode.orchestrator.violations.Demand;
import io.palinode.wire.v1.ApprovalAsked;
import io.palinode.wire.v1.ControlRecord;
import io.palinode.wire.v1.GateStep;
import io.palinode.wire.v1.LetStand;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The decisions between violations and plans, as the control log describes them (ADR 0015).
 * Immutable.
 *
 * @param lastNumber of a request
 * @param requests those without an answer, oldest first; one per predicate
 * @param standing the latest violations that open no plan; kept after the safe point has passed
 *     them, since they may be published again
 * @param renewed by predicate: when an operator last renewed its budget, wall clock
 */
public record Gates(
    long lastNumber,
    List<ApprovalRequest> requests,
    List<StandingViolations> standing,
    Map<String, Long> renewed) {
  /** Beyond it the oldest is dropped, and its violations may ask for approval again. */
  static final int STANDING_MAX = 1_000;

  static final int RENEWED_MAX = 1_000;
  public static final Gates NONE = new Gates(0, List.of(), List.of(), Map.of());

  public Gates {
    requests = List.copyOf(requests);
    standing = List.copyOf(standing);
    renewed = Map.copyOf(renewed);
  }

  public @Nullable ApprovalRequest request(String predicate) {
    return requests.stream().filter(r -> r.predicate().equals(predicate)).findFirst().orElse(null);
  }

  public @Nullable ApprovalRequest request(long number) {
    return requests.stream().filter(r -> r.number() == number).findFirst().orElse(null);
  }

  /** Why a violation stands; null: it does not. */
  public @Nullable StandingViolations standing(String predicate, long hlc) {
    return standing.stream().filter(s -> s.includes(predicate, hlc)).findFirst().orElse(null);
  }

  /** Whether violations of the predicate stand or wait, so that later cuts may hold them. */
  public boolean mayStand(String predicate) {
    return request(predicate) != null
        || standing.stream().anyMatch(s -> !s.held() && s.predicate().equals(predicate));
  }

  /** Whether the instance held before it was watched, and the cut at {@code hlc} may hold it. */
  public boolean holds(String predicate, String binding, long hlc) {
    return standing.stream().anyMatch(s -> s.holds(predicate, binding, hlc));
  }

  public boolean lets(Demand demand) {
    return standing.stream()
        .anyMatch(
            s ->
                s.includes(demand.predicate(), demand.violate())
                    && s.includes(demand.predicate(), demand.last()));
  }

  public Gates read(ControlRecord record) {
    GateStep step = record.getGate();
    return switch (step.getStepCase()) {
      case ASKED -> asked(record, step.getAsked());
      case LET_STAND -> standing(step.getLetStand());
      case RENEWED -> renewed(step.getRenewed().getPredicate(), record.getAtMicros());
      case HELD_NO_MORE -> standing(s -> s.after(step.getHeldNoMore()));
      case STEP_NOT_SET -> this;
    };
  }

  /** After a plan has ended. */
  Gates after(Plan done) {
    return standing(s -> Stream.of(s.after(done)));
  }

  private Gates standing(Function<StandingViolations, Stream<StandingViolations>> change) {
    List<StandingViolations> all = standing.stream().flatMap(change).toList();
    return new Gates(lastNumber, requests, latest(all), renewed);
  }

  private static List<StandingViolations> latest(List<StandingViolations> all) {
    return all.subList(Math.max(0, all.size() - STANDING_MAX), all.size());
  }

  private Gates asked(ControlRecord record, ApprovalAsked asked) {
    ApprovalRequest known = request(asked.getPredicate());
    if (known == null && asked.getNumber() > lastNumber) {
      ApprovalRequest first = ApprovalRequest.of(record.getEpoch(), record.getAtMicros(), asked);
      return new Gates(asked.getNumber(), plus(requests, first), standing, renewed);
    }
    if (known == null || known.number() != asked.getNumber()) {
      return this;
    }
    ApprovalRequest more = known.with(record.getAtMicros(), asked);
    List<ApprovalRequest> all = requests.stream().map(r -> r.equals(known) ? more : r).toList();
    return new Gates(lastNumber, all, standing, renewed);
  }

  /** With violations that stand. A rejection of an answered request changes nothing. */
  private Gates standing(LetStand let) {
    if (let.getRejects() != 0 && request(let.getRejects()) == null) {
      return this;
    }
    List<StandingViolations> longer = latest(plus(standing, StandingViolations.of(let)));
    return new Gates(lastNumber, without(r -> r.number() == let.getRejects()), longer, renewed);
  }

  private Gates renewed(String predicate, long atMicros) {
    Map<String, Long> more = new HashMap<>(renewed);
    more.put(predicate, atMicros);
    while (more.size() > RENEWED_MAX) {
      String oldest =
          more.entrySet().stream().min(Map.Entry.comparingByValue()).orElseThrow().getKey();
      more.remove(oldest);
    }
    List<StandingViolations> shorter =
        standing.stream()
            .map(
                s ->
                    s.isForBudget() && s.predicate().equals(predicate)
                        ? s.upTo(Hlc.ofMicros(atMicros))
                        : s)
            .toList();
    return new Gates(lastNumber, requests, shorter, more);
  }

  /** After an operator's approval. */
  Gates answered(long number) {
    return number == 0 || request(number) == null
        ? this
        : new Gates(lastNumber, without(r -> r.number() == number), standing, renewed);
  }

  /** Without requests whose violations are settled. */
  Gates withoutSettled(Predicate<ApprovalRequest> settled) {
    return requests.stream().noneMatch(settled)
        ? this
        : new Gates(lastNumber, without(settled), standing, renewed);
  }

  private List<ApprovalRequest> without(Predicate<ApprovalRequest> some) {
    return requests.stream().filter(some.negate()).toList();
  }

  private static <T> List<T> plus(List<T> some, T one) {
    return Stream.concat(some.stream(), Stream.of(one)).toList();
  }
}
