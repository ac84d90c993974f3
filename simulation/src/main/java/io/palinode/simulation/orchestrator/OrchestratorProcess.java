package io.palinode.simulation.orchestrator;

import io.palinode.orchestrator.Command;
import io.palinode.orchestrator.Event;
import io.palinode.orchestrator.RecentKeys;
import io.palinode.orchestrator.RollbackMachine;
import io.palinode.orchestrator.Step;
import io.palinode.orchestrator.request.Intervention;
import io.palinode.orchestrator.state.MachineState;
import io.palinode.orchestrator.violations.SeenViolations;
import io.palinode.simulation.check.BrokenInvariant;
import io.palinode.simulation.check.Invariant;
import io.palinode.simulation.environment.Link;
import io.palinode.simulation.environment.Tail;
import io.palinode.simulation.world.Fault;
import io.palinode.simulation.world.PredicateVersion;
import io.palinode.simulation.world.Texts;
import io.palinode.simulation.world.World;
import io.palinode.wire.v1.ControlRecord;
import io.palinode.wire.v1.CoverageLost;
import io.palinode.wire.v1.ViolationRecord;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * One run of the orchestrator; another may begin before it ends. The machine is production's; its
 * readers, its producer and its clock's ticks are simulated.
 */
public final class OrchestratorProcess {
  private static final String NAME = "orch";
  private static final long TICK_MICROS = 10_000;
  private static final int SEEN_MAX = 10_000;

  private final World world;
  private final Link producer;
  private final SeenViolations seen = new SeenViolations(SEEN_MAX);
  private final RecentKeys<CoverageLost> losses = new RecentKeys<>(SEEN_MAX);
  private MachineState state;
  private @Nullable Tail<PredicateVersion> predicates;
  private @Nullable Tail<ControlRecord> control;
  private @Nullable Tail<ViolationRecord> violations;
  private boolean alive = true;
  private long frozenUntilMicros;

  public OrchestratorProcess(World world) {
    this.world = world;
    this.producer = new Link(world.network(), world.orchestratorEndpoint(), world.kafka());
    this.state = MachineState.initial(world.shape().rollback());
  }

  public void start() {
    world.time().in(world.dice().between(1_000, 20_000), this::replay);
  }

  public MachineState state() {
    return state;
  }

  public boolean isSettled() {
    return state.live() && state.found().isSettled();
  }

  /** What it had sent arrives, or some of it, or, where records may come late, long after. */
  public void die() {
    if (!alive) {
      return;
    }
    alive = false;
    if (predicates != null) {
      predicates.close();
    }
    if (control != null) {
      control.close();
    }
    if (violations != null) {
      violations.close();
    }
    if (!world.faults().contains(Fault.DUPLICATE)) {
      producer.close(world.dice().below(producer.underWay() + 1));
    }
  }

  /** Stops for a while; its sent messages still arrive. */
  public void freeze(long micros) {
    frozenUntilMicros = world.time().nowMicros() + micros;
    world.time().in(micros, this::thaw);
  }

  /** Acts on what it knew before it reads on. */
  private void thaw() {
    if (!alive || predicates == null || control == null || violations == null) {
      return;
    }
    world.trace().add(NAME, "thawed", () -> "epoch=" + state.log().epoch());
    handle(new Event.Tick(now()));
    predicates.wake();
    control.wake();
    violations.wake();
  }

  private boolean isRunning() {
    return alive && world.time().nowMicros() >= frozenUntilMicros;
  }

  void say(Intervention word) {
    if (alive && state.live()) {
      world.trace().add("operator", "says", word::name);
      handle(new Event.InterventionWanted(world.controlChecks().truth().epoch() + 1, word, now()));
    }
  }

  void endAsIs(Set<Integer> stopped) {
    if (alive && state.live()) {
      world.trace().add("operator", "says", () -> "as is, stopped " + stopped);
      long epoch = world.controlChecks().truth().epoch() + 1;
      handle(new Event.EndAsIsWanted(epoch, stopped, now()));
    }
  }

  /** An operator approves a request, or rejects it. */
  void answer(long number, boolean approve) {
    if (alive && state.live()) {
      world.trace().add("operator", "says", () -> (approve ? "approve " : "reject ") + number);
      handle(new Event.ApprovalAnswered(number, approve, now()));
    }
  }

  public void acknowledge() {
    if (alive && state.live()) {
      world.trace().add("operator", "says", () -> "coverage acknowledged");
      world.controlChecks().coverage().operatorAcknowledges();
      handle(new Event.CoverageAcknowledged(Event.CoverageAcknowledged.ALL, now()));
    }
  }

  private void replay() {
    if (!alive) {
      return;
    }
    int predicatesEnd = world.predicates().size();
    PredicateVersion known = world.predicate();
    if (known != null) {
      predicateRead(known);
    }
    int controlEnd = world.control().size();
    world.seams().takenOver(List.copyOf(world.control().records())).forEach(this::controlRead);
    int violationsEnd = world.violations().size();
    for (int i = 0; i < violationsEnd; i++) {
      violationRead(world.violations().get(i));
    }
    if (producer.underWay() > 0) {
      throw new BrokenInvariant(
          Invariant.PROTOCOL, "an orchestrator wrote while the logs were replayed");
    }
    world.controlChecks().coverage().requireShown(state.log());
    handle(new Event.CaughtUp(now()));
    world.trace().add(NAME, "live", () -> "epoch=" + state.log().epoch());
    int place = world.orchestratorEndpoint();
    predicates =
        world.predicates().tail(place, predicatesEnd, this::isRunning, this::predicateRead);
    control = world.control().tail(place, controlEnd, this::isRunning, this::controlRead);
    violations =
        world.violations().tail(place, violationsEnd, this::isRunning, this::violationRead);
    world.predicates().follow(predicates);
    world.control().follow(control);
    world.violations().follow(violations);
    tick();
  }

  private void tick() {
    if (alive) {
      if (isRunning()) {
        handle(new Event.Tick(now()));
      }
      world.time().in(TICK_MICROS, this::tick);
    }
  }

  private void predicateRead(PredicateVersion version) {
    handle(new Event.PolicyChanged(version.policy(), now()));
  }

  private void controlRead(ControlRecord record) {
    if (!world.isRefused(record)) {
      handle(new Event.ControlRead(record, now()));
    }
  }

  private void violationRead(ViolationRecord record) {
    switch (record.getRecordCase()) {
      case VIOLATION -> {
        if (seen.admit(record.getViolation()) != SeenViolations.Novelty.REPEAT) {
          handle(new Event.ViolationFound(record.getViolation(), now()));
        }
      }
      case JUDGED -> handle(new Event.Judged(record.getJudged().getHlc(), now()));
      case COVERAGE_LOST -> {
        if (losses.admit(record.getCoverageLost())) {
          handle(new Event.CoverageLost(record.getCoverageLost(), now()));
        }
      }
      case DETECTING, PHANTOM, ENDED, RECORD_NOT_SET -> {}
    }
  }

  private void handle(Event event) {
    boolean wasLive = state.live();
    MachineState before = state;
    Step step = RollbackMachine.step(state, event);
    state = step.next();
    for (Command command : step.commands()) {
      if (command instanceof Command.Append append) {
        world.seams().append(before, append.record()).forEach(this::append);
      } else if (command instanceof Command.Classified classified) {
        classified(classified, wasLive);
      }
    }
    if (state.live()) {
      world.seams().appendBesides(state).forEach(this::append);
    }
  }

  private void classified(Command.Classified classified, boolean wasLive) {
    world
        .trace()
        .add(
            NAME,
            "takes",
            () -> Texts.of(classified.violation()) + " outcome=" + classified.outcome());
    PredicateVersion newest = world.predicate();
    // A restarted job may report a violation of a version that was replaced meanwhile.
    boolean isCurrent =
        newest != null && newest.version() == classified.violation().getPredicateVersion();
    if (wasLive && isCurrent && classified.outcome() == Command.Outcome.TOO_LATE) {
      throw new BrokenInvariant(
          Invariant.SAFE_POINT,
          "the safe point had passed "
              + Texts.of(classified.violation())
              + " before it was reported");
    }
  }

  private void append(ControlRecord record) {
    boolean isSeemingFailure = world.isHit(Fault.DUPLICATE, 3);
    boolean isFailure = isSeemingFailure && world.dice().percent(50);
    int read = control == null ? world.control().size() : control.position();
    producer.send(
        () -> {
          if (!isFailure) {
            world.append(NAME, record, read);
          }
          if (isSeemingFailure && alive) {
            world.trace().add(NAME, "append-failed", () -> Texts.of(record));
            world.appendFailed(record);
            handle(new Event.AppendFailed(record, "simulated", now()));
          }
        });
  }

  private long now() {
    return world.wallMicros();
  }
}
