package io.palinode.store.conformance;

import static io.palinode.store.conformance.KitText.assertState;
import static org.assertj.core.api.Assertions.assertThat;

import io.palinode.detector.binding.StoreKey;
import io.palinode.detector.binding.Version;
import io.palinode.detector.binding.WriteEvent;
import io.palinode.retroscope.OutOfReachException;
import io.palinode.store.binding.StoreBinding;
import io.palinode.store.binding.UndoLog.KeyRecord;
import io.palinode.store.binding.UndoLog.Restoration;
import io.palinode.store.conformance.CrashPoint.Step;
import io.palinode.store.conformance.CrashPoint.When;
import io.palinode.store.conformance.CrashingEngine.Crash;
import io.palinode.store.conformance.NodeModel.Change;
import io.palinode.store.conformance.NodeModel.Deleted;
import io.palinode.store.conformance.NodeModel.State;
import io.palinode.store.past.RecordRules;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** One node of a history, through all its incarnations, compared with its model at each step. */
final class Member {
  /** More than any clock promise. */
  private static final long RESTART_MICROS = 1_000_000;

  private final KitStore store;
  private final RecordRules rules;
  private final AtomicLong micros;
  private final KitFigures figures;
  private final KitSite site;
  private final List<WriteEvent> events = new ArrayList<>();
  private final NodeModel model;
  private @Nullable CrashingEngine medium;
  private KitNode node;
  private @Nullable CrashPoint crash;
  private long epoch;
  private boolean hasLostPast;

  Member(KitStore store, int number, int nodes, AtomicLong micros, KitFigures figures) {
    this.store = store;
    this.rules = store.rules();
    this.micros = micros;
    this.figures = figures;
    this.site =
        new KitSite(
            number,
            nodes,
            micros::get,
            engine -> {
              CrashingEngine crashing = new CrashingEngine(engine);
              medium = crashing;
              return crashing;
            });
    this.node = open();
    this.model = new NodeModel(binding().reach());
  }

  private KitNode open() {
    medium = null;
    KitNode opened = store.open(site);
    assertThat(medium).as("a node opens its engine through the site's medium").isNotNull();
    opened.binding().listen(events::add);
    return opened;
  }

  StoreBinding binding() {
    return node.binding();
  }

  int number() {
    return site.node();
  }

  NodeModel model() {
    return model;
  }

  /** Whether a killed incarnation took changes with it that a later restore would need. */
  boolean hasLostPast() {
    return hasLostPast;
  }

  private long now() {
    return binding().clock().last().own();
  }

  /** Makes a write. Checks its effect and its event. */
  void write(KitWrite write) {
    State was = model.now();
    Set<Version> before = was.of(write.key());
    Set<Version> after = after(before, write);
    long last = now();
    events.clear();
    node.write(write);
    boolean isFirstDelete = write.mark() != null && write.first() == number();
    if (!before.equals(after)) {
      checkEvent(write, after, last);
    } else {
      assertThat(events).as("events of a write that changes nothing: %s", write).isEmpty();
      figures.obsolete += write.added() == null ? 0 : 1;
    }
    assertThat(setOf(binding().siblings(write.key()))).as("after %s", write).isEqualTo(after);
    State next = was.with(write.key(), after);
    if (isFirstDelete) {
      next = next.with(new Deleted(write.key(), Objects.requireNonNull(write.mark())));
    }
    if (isFirstDelete || !before.equals(after)) {
      model.wrote(now(), next, before.equals(after) ? null : write.key());
    }
    figures.siblings += after.size() > 1 ? 1 : 0;
  }

  private Set<Version> after(Set<Version> before, KitWrite write) {
    if (write.added() != null) {
      return setOf(rules.merge(List.copyOf(before), List.of(write.added())));
    }
    byte[] mark = Objects.requireNonNull(write.mark());
    Set<Version> left = new HashSet<>(before);
    left.removeIf(version -> rules.isCovered(version, mark));
    return left;
  }

  private void checkEvent(KitWrite write, Set<Version> after, long last) {
    assertThat(events).as("one event of %s", write).hasSize(1);
    WriteEvent event = events.get(0);
    assertThat(event.key()).isEqualTo(write.key());
    assertThat(setOf(event.siblings())).as("siblings in the event of %s", write).isEqualTo(after);
    assertThat(event.written()).as("version in the event").isEqualTo(write.added());
    assertThat(event.before().own()).as("stamps follow each other").isGreaterThan(last);
    assertThat(event.after().own()).isGreaterThan(event.before().own());
  }

  /** Sets where the next plan ends this node's process. */
  void crashAt(CrashPoint point) {
    crash = point;
  }

  long pause(long newEpoch) {
    epoch = newEpoch;
    long quiet = step(Step.PAUSE, () -> binding().pause(newEpoch));
    checkLog();
    return quiet;
  }

  /**
   * Compares the window-log with all writes since its reach: their order by key, and old values.
   */
  void checkLog() {
    long reach = binding().reach();
    Map<StoreKey, List<Change>> logged = new LinkedHashMap<>();
    boolean isWhole =
        binding()
            .visitChanges(
                reach,
                key -> true,
                (hlc, key, before) -> {
                  if (!model.isOfStep(hlc)) {
                    logged
                        .computeIfAbsent(key, each -> new ArrayList<>())
                        .add(new Change(hlc, setOf(before)));
                  }
                });
    assertThat(isWhole).as("the log has all changes since its reach").isTrue();
    assertThat(logged).as("old values by key").isEqualTo(model.changesAfter(reach));
  }

  /** Restores a cut. Null if a crash took the changes since then, and the node changed nothing. */
  @Nullable Restoration restore(int attempt, long target) {
    State then = model.at(target);
    State now = model.now();
    long since = now();
    events.clear();
    Restoration done;
    try {
      done = step(Step.RESTORE, () -> binding().restore(epoch, attempt, target));
    } catch (OutOfReachException e) {
      assertThat(target).as("only what is out of reach is refused").isLessThan(binding().reach());
      assertState(state()).as("a refused restore").isEqualTo(now.records());
      return null;
    }
    assertState(state()).as("restored to %d", target).isEqualTo(then.records());
    assertThat(events).as("a restore has no events").isEmpty();
    assertThat(done.changed())
        .as("the convergence window holds the whole history")
        .containsAll(model.changesAfter(binding().reach()).keySet());
    model.stepped(since, now(), then);
    Restoration repeated = binding().restore(epoch, attempt, target);
    assertThat(repeated.changed()).as("a repeat").hasSameElementsAs(done.changed());
    assertThat(repeated.undoneWrites()).as("a repeat").isEqualTo(done.undoneWrites());
    assertState(state()).as("a repeat changes nothing").isEqualTo(then.records());
    figures.restores++;
    return done;
  }

  /** Undoes nothing; the result has the digests of all records. */
  Restoration keepAll(int attempt) {
    Restoration kept = binding().keepAll(epoch, attempt);
    assertState(state()).as("kept").isEqualTo(model.now().records());
    return kept;
  }

  List<KeyRecord> read(List<StoreKey> keys) {
    return binding().read(keys);
  }

  /**
   * Merges contributions. Returns the result.
   *
   * @param expected what it must be; null: not known
   */
  Map<StoreKey, Set<Version>> merge(
      List<KeyRecord> contributed, @Nullable Map<StoreKey, Set<Version>> expected) {
    long since = now();
    State before = model.now();
    int changed = step(Step.MERGE, () -> binding().merge(contributed));
    Map<StoreKey, Set<Version>> merged = state();
    if (expected != null) {
      assertState(merged).as("merged at node %d", number()).isEqualTo(expected);
    }
    model.stepped(since, now(), new State(merged, before.deletes()));
    assertThat(binding().merge(contributed)).as("a repeated merge").isZero();
    figures.mergedKeys += changed;
    return merged;
  }

  void resume(long target) {
    State before = model.now();
    step(
        Step.RESUME,
        () -> {
          binding().resume(epoch, target, 0);
          return epoch;
        });
    assertState(state()).as("resumed").isEqualTo(before.records());
    crash = null;
  }

  /** Runs a step of a plan; again, if the process ends in it. */
  private <T> T step(Step step, Supplier<T> action) {
    CrashPoint point = crash;
    if (point == null || point.step != step) {
      return action.get();
    }
    crash = null;
    CrashingEngine breaking = Objects.requireNonNull(medium);
    breaking.crash(point.when == When.AFTER_STEP ? null : point.when);
    try {
      T done = action.get();
      breaking.crash(null);
      if (point.when != When.AFTER_STEP) {
        // It needed no commit.
        return done;
      }
    } catch (Crash expected) {
      // As if the process had ended there.
    }
    kill();
    if (step != Step.RESUME) {
      long unused = binding().pause(epoch);
    }
    return action.get();
  }

  /** Ends the node without an orderly stop, and starts it. */
  void kill() {
    long last = now();
    long reach = binding().reach();
    long incarnation = binding().incarnation();
    node.kill();
    restart(last, incarnation);
    if (binding().reach() > reach) {
      hasLostPast = true;
      figures.lostPasts++;
      model.forgetBefore(binding().reach());
    }
    figures.crashes++;
  }

  /** Stops the node in order, and starts it. */
  void restart() {
    long last = now();
    long reach = binding().reach();
    long incarnation = binding().incarnation();
    node.close();
    restart(last, incarnation);
    if (binding().reach() > reach) {
      hasLostPast = true;
      model.forgetBefore(binding().reach());
    }
    assertState(state()).as("restarted").isEqualTo(model.now().records());
  }

  private void restart(long last, long incarnation) {
    micros.addAndGet(RESTART_MICROS);
    node = open();
    assertThat(now()).as("a start is later than all before").isGreaterThan(last);
    assertThat(binding().incarnation()).isGreaterThan(incarnation);
  }

  /** The versions of each key that has any. */
  Map<StoreKey, Set<Version>> state() {
    List<StoreKey> keys = new ArrayList<>();
    binding().scan((key, siblings) -> keys.add(key));
    Map<StoreKey, Set<Version>> state = new HashMap<>();
    for (KeyRecord record : binding().read(keys)) {
      state.put(record.key(), setOf(rules.versions(record.siblings())));
    }
    return state;
  }

  /** The record's bytes; empty if the key is absent. */
  byte[] record(StoreKey key) {
    return binding().read(List.of(key)).get(0).siblings();
  }

  void close() {
    node.close();
  }

  private static Set<Version> setOf(List<Version> versions) {
    Set<Version> set = new HashSet<>(versions);
    assertThat(set).as("each version once").hasSameSizeAs(versions);
    return set;
  }
}
