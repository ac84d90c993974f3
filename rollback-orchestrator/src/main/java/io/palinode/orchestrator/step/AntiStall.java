package io.palinode.orchestrator.step;

import com.google.protobuf.ByteString;
import io.palinode.orchestrator.plan.Plan;
import io.palinode.orchestrator.policy.Policy;
import io.palinode.orchestrator.policy.RollbackSettings;
import io.palinode.orchestrator.state.ControlLogState;
import io.palinode.orchestrator.state.MachineState;
import io.palinode.orchestrator.violations.SequentialSpan;
import io.palinode.orchestrator.violations.TouchedInstance;
import io.palinode.orchestrator.violations.TouchingRollback;
import io.palinode.predicate.OnViolation.WhenFrequent;
import io.palinode.predicate.template.Binding;
import io.palinode.predicate.template.Template;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Chooses the keys that clients must use sequentially (R + W > N) after a plan (ADR 0014). This
 * ends rollbacks that repeat. Decided from the control log and the policies alone, at the plan's
 * {@code Resume}, which carries the result.
 *
 * <p>Let {@code over} and {@code per} be those of a predicate's {@code whenFrequent}.
 *
 * <ul>
 *   <li><b>In.</b> If more than {@code over} rollbacks in {@code per} touched a key of an instance,
 *       the keys of its witnesses and guards become sequential.
 *   <li><b>Out.</b> They stay so until {@code per} has passed without a rollback of the predicate.
 *       Its instances leave together, since each alone would cost one rollback.
 *   <li><b>In again.</b> They are remembered for the same time again. One rollback that touches any
 *       of them restores all, for twice as long as before, up to {@code per} times 2^{@value
 *       #DOUBLINGS_MAX}.
 *   <li><b>All keys</b> become sequential by the same rules if more than {@code over} rollbacks in
 *       {@code per} touched keys that already were, if more than {@value #SPREAD} times {@code
 *       over} touched none of them, or if the keys are more than {@value #KEYS_MAX}, or {@value
 *       #BYTES_MAX} bytes.
 * </ul>
 *
 * <p>Each rollback in a conflict loop thus removes an instance from the loop, or in the end all
 * keys.
 */
public final class AntiStall {
  public static final int KEYS_MAX = 1_024;
  static final int BYTES_MAX = 65_536;
  public static final int DOUBLINGS_MAX = 5;
  public static final int SPREAD = 4;

  private final MachineState state;
  private final ControlLogState log;
  private final long now;
  private final List<SequentialSpan> spans = new ArrayList<>();

  /**
   * By key: the indexes of its spans in {@link #spans}; a replaced span keeps its index and keys.
   */
  private final Map<ByteString, List<Integer>> spansOfKey = new HashMap<>();

  /** By key: the indexes of the rollbacks that touched it, in the list of the log state. */
  private final Map<ByteString, BitSet> rollbacksOfKey;

  private @Nullable SequentialSpan wanted;

  private AntiStall(MachineState state) {
    this.state = state;
    this.log = state.log();
    this.now = state.nowMicros();
    for (SequentialSpan span : log.frequent().sequential()) {
      if (span.isRemembered(now)) {
        add(span);
      }
    }
    this.rollbacksOfKey = rollbacksOfKey(log.frequent().touching());
  }

  private void add(SequentialSpan span) {
    for (ByteString key : span.keys()) {
      spansOfKey.computeIfAbsent(key, first -> new ArrayList<>()).add(spans.size());
    }
    spans.add(span);
  }

  private static Map<ByteString, BitSet> rollbacksOfKey(List<TouchingRollback> rollbacks) {
    Map<ByteString, BitSet> ofKey = new HashMap<>();
    for (int i = 0; i < rollbacks.size(); i++) {
      for (TouchedInstance touch : rollbacks.get(i).touches()) {
        for (ByteString key : touch.keys()) {
          ofKey.computeIfAbsent(key, first -> new BitSet()).set(i);
        }
      }
    }
    return ofKey;
  }

  /** The spans that the {@code Resume} of the open plan carries. */
  public static List<SequentialSpan> after(MachineState state, Plan plan) {
    AntiStall decision = new AntiStall(state);
    TouchingRollback rollback = state.log().frequent().of(plan.epoch());
    if (rollback != null && !plan.isGivenUp()) {
      for (TouchedInstance touch : rollback.touches()) {
        WhenFrequent frequent = decision.frequent(touch);
        if (frequent != null) {
          decision.touched(touch, frequent);
        }
      }
    }
    return decision.bounded();
  }

  private @Nullable WhenFrequent frequent(TouchedInstance touch) {
    Policy policy = state.policies().get(touch.predicate());
    return policy == null || policy.onViolation() == null
        ? null
        : policy.onViolation().rollbacks().whenFrequent();
  }

  private void touched(TouchedInstance touch, WhenFrequent frequent) {
    long per = RollbackSettings.micros(frequent.per());
    prolong(touch, per);
    long hold = Math.max(per, holdOf(touch.predicate()));
    if (!isSequential(touch, touch.predicate()) && rollbacksOf(touch, per) > frequent.over()) {
      List<ByteString> keys = keysOf(touch, frequent);
      add(new SequentialSpan(touch.predicate(), touch.binding(), keys, now, now + hold, hold));
    }
    boolean all = isInVain(touch, frequent, per) || isSpread(touch, frequent, per);
    if (all && spans.stream().noneMatch(span -> span.isAll() && span.isInForce(now))) {
      add(all(touch.predicate(), hold));
    }
    if (wanted == null) {
      wanted = all(touch.predicate(), hold);
    }
  }

  private SequentialSpan all(String predicate, long hold) {
    return new SequentialSpan(predicate, "", List.of(), now, now + hold, hold);
  }

  /** Prolongs the predicate's spans in force, and restores its remembered ones. */
  private void prolong(TouchedInstance touch, long per) {
    boolean back = spans.stream().anyMatch(span -> isOf(touch, span) && span.covers(touch));
    for (int i = 0; i < spans.size(); i++) {
      SequentialSpan span = spans.get(i);
      if (isOf(touch, span) && span.isInForce(now)) {
        spans.set(i, span.prolonged(now));
      } else if (isOf(touch, span) && back) {
        spans.set(i, span.again(now, per << DOUBLINGS_MAX));
      }
    }
  }

  private static boolean isOf(TouchedInstance touch, SequentialSpan span) {
    return span.predicate().equals(touch.predicate());
  }

  private long holdOf(String predicate) {
    return spans.stream()
        .filter(span -> span.predicate().equals(predicate) && span.isInForce(now))
        .mapToLong(SequentialSpan::holdMicros)
        .max()
        .orElse(0);
  }

  private long rollbacksOf(TouchedInstance touch, long per) {
    BitSet rollbacks = new BitSet();
    touch.keys().forEach(key -> rollbacks.or(rollbacksOfKey.getOrDefault(key, new BitSet())));
    return rollbacks.stream()
        .filter(i -> log.frequent().touching().get(i).openedMicros() > now - per)
        .count();
  }

  private boolean isInVain(TouchedInstance touch, WhenFrequent frequent, long per) {
    long inVain =
        log.frequent().touching().stream()
            .filter(r -> r.openedMicros() > now - per)
            .filter(r -> r.inVain() && r.isOf(touch.predicate()))
            .count();
    return inVain > frequent.over();
  }

  private boolean isSpread(TouchedInstance touch, WhenFrequent frequent, long per) {
    long elsewhere =
        log.frequent().touching().stream()
            .filter(r -> r.openedMicros() > now - per && r.isOf(touch.predicate()))
            .filter(r -> r.touches().stream().noneMatch(this::isSequential))
            .count();
    return elsewhere > (long) SPREAD * frequent.over();
  }

  private boolean isSequential(TouchedInstance touch, String by) {
    return mayCover(touch)
        .anyMatch(s -> s.predicate().equals(by) && s.isInForce(now) && s.covers(touch));
  }

  private boolean isSequential(TouchedInstance touch) {
    return mayCover(touch).anyMatch(span -> span.isInForce(now) && span.covers(touch));
  }

  /** The spans that may cover the touch, by its first key, as thousands of touches are checked. */
  private Stream<SequentialSpan> mayCover(TouchedInstance touch) {
    return touch.keys().isEmpty()
        ? spans.stream()
        : Stream.concat(
            spans.stream().filter(SequentialSpan::isAll),
            spansOfKey.getOrDefault(touch.keys().get(0), List.of()).stream().map(spans::get));
  }

  /**
   * The witnesses' and guards' keys. A binding of another version may not fill all guards; then
   * none are added.
   */
  private static List<ByteString> keysOf(TouchedInstance touch, WhenFrequent frequent) {
    Set<ByteString> keys = new LinkedHashSet<>(touch.keys());
    try {
      Binding binding = Binding.parse(touch.binding());
      for (Template guard : frequent.guards()) {
        keys.add(ByteString.copyFromUtf8(guard.fill(binding)));
      }
    } catch (IllegalArgumentException otherVersion) {
      return touch.keys();
    }
    return List.copyOf(keys);
  }

  /**
   * The spans within the limits. Ended spans go first, oldest first; then the newest becomes all
   * keys.
   */
  private List<SequentialSpan> bounded() {
    List<SequentialSpan> sorted =
        spans.stream()
            .sorted(
                Comparator.comparing((SequentialSpan span) -> !span.isAll())
                    .thenComparing(span -> !span.isInForce(now))
                    .thenComparingLong(
                        span -> span.isInForce(now) ? span.sinceMicros() : -span.sinceMicros()))
            .toList();
    List<SequentialSpan> kept = new ArrayList<>();
    boolean full = false;
    long keys = 0;
    long bytes = 0;
    for (SequentialSpan span : sorted) {
      if (keys + span.keys().size() <= KEYS_MAX && bytes + span.bytes() <= BYTES_MAX) {
        kept.add(span);
        keys += span.keys().size();
        bytes += span.bytes();
      } else {
        full |= span.isInForce(now);
      }
    }
    boolean noneOfAll = kept.stream().noneMatch(span -> span.isAll() && span.isInForce(now));
    return full && noneOfAll && wanted != null
        ? Stream.concat(Stream.of(wanted), kept.stream()).toList()
        : List.copyOf(kept);
  }
}
