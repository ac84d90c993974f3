package io.palinode.detection.witness;

import io.palinode.detection.witness.PortableWitness.HeldValue;
import io.palinode.detection.witness.PortableWitness.Role;
import io.palinode.detection.witness.WitnessCheck.Rule;
import io.palinode.predicate.Comparison;
import io.palinode.predicate.Predicate;
import io.palinode.predicate.Term;
import io.palinode.predicate.template.Binding;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Whether a version superseded one that its writer had not seen, or was read after one that
 * supersedes it, by the versions' vector clocks. What the node had, and what the session had seen
 * and in which order, is taken on trust.
 */
final class OperationCheck {
  private final PortableWitness witness;
  private final BiConsumer<Rule, String> fail;

  private OperationCheck(PortableWitness witness, BiConsumer<Rule, String> fail) {
    this.witness = witness;
    this.fail = fail;
  }

  /** Of a witness with one interval, of {@code term}. */
  static void check(
      PortableWitness witness, Predicate predicate, Term term, BiConsumer<Rule, String> fail) {
    OperationCheck check = new OperationCheck(witness, fail);
    check.key(predicate, term);
    if (term.isLostUpdate()) {
      check.lostUpdate();
    } else {
      check.read(term.comparison() instanceof Comparison.NonMonotonicRead);
    }
  }

  private List<HeldValue> values() {
    return witness.intervals().get(0).values();
  }

  private void key(Predicate predicate, Term term) {
    for (HeldValue value : values()) {
      Binding binding = term.isOfStore(value.store()) ? term.variable().match(value.key()) : null;
      if (binding == null
          || !binding.toString().equals(witness.subject().binding())
          || !predicate.where().stream().allMatch(condition -> condition.holds(binding))) {
        fail.accept(Rule.VALUES, "the key '" + value.key() + "' is not of this instance");
      }
    }
    long keys =
        values().stream().map(value -> value.store() + "/" + value.key()).distinct().count();
    if (keys > 1) {
      fail.accept(Rule.VALUES, "the versions must be of one key: keys=" + keys);
    }
    if (!witness.intervals().get(0).member().isEmpty()) {
      fail.accept(Rule.VALUES, "without distinct there is no member");
    }
  }

  private void read(boolean isOfReadsOnly) {
    List<HeldValue> read = ofRole(Role.HOLDS);
    List<HeldValue> before = new ArrayList<>(ofRole(Role.READ));
    if (!isOfReadsOnly) {
      before.addAll(ofRole(Role.WRITTEN));
    }
    if (read.size() != 1 || before.size() != 1 || values().size() != 2) {
      fail.accept(
          Rule.VALUES,
          "it must have one version that was read, and one that the session had %s before: values=%d"
              .formatted(isOfReadsOnly ? "read" : "read or written", values().size()));
    } else if (!isBefore(read.get(0), before.get(0), false)) {
      fail.accept(
          Rule.VALUES,
          "%s does not supersede %s, which was read after it"
              .formatted(before.get(0).version(), read.get(0).version()));
    }
  }

  private void lostUpdate() {
    List<HeldValue> written = ofRole(Role.HOLDS);
    List<HeldValue> lost = ofRole(Role.LOST);
    if (written.size() != 1 || lost.isEmpty()) {
      fail.accept(
          Rule.VALUES,
          "it must have one version and those that it superseded: versions=%d superseded=%d"
              .formatted(written.size(), lost.size()));
      return;
    }
    for (HeldValue each : lost) {
      if (!isBefore(each, written.get(0), false)) {
        fail.accept(Rule.VALUES, "the version did not supersede " + each.version());
      }
      for (HeldValue seen : ofRole(Role.SEEN)) {
        if (isBefore(each, seen, true)) {
          fail.accept(
              Rule.VALUES,
              "the writer had seen %s, which supersedes %s or equals it"
                  .formatted(seen.version(), each.version()));
        }
      }
    }
  }

  private List<HeldValue> ofRole(Role role) {
    return values().stream().filter(value -> value.role() == role).toList();
  }

  /** Whether {@code later} supersedes {@code earlier}; also, if they are equal. */
  private boolean isBefore(HeldValue earlier, HeldValue later, boolean orEqual) {
    Map<Short, Long> before = clock(earlier);
    Map<Short, Long> after = clock(later);
    if (before == null || after == null) {
      return false;
    }
    boolean isAtMost =
        before.entrySet().stream()
            .allMatch(entry -> entry.getValue() <= after.getOrDefault(entry.getKey(), 0L));
    return isAtMost && (orEqual || !before.equals(after));
  }

  /** Node to counter, from a store's bytes; null, and a breach, if they are no clock. */
  private @Nullable Map<Short, Long> clock(HeldValue value) {
    try {
      ByteBuffer in = ByteBuffer.wrap(HexFormat.of().parseHex(value.version()));
      Map<Short, Long> clock = new HashMap<>();
      int entries = in.getShort();
      int counterBytes = in.get();
      for (int i = 0; i < entries; i++) {
        short node = in.getShort();
        long counter = 0;
        for (int b = 0; b < counterBytes; b++) {
          counter = counter << Byte.SIZE | (in.get() & 0xFF);
        }
        clock.put(node, counter);
      }
      if (entries >= 0 && in.remaining() == Long.BYTES) {
        return clock;
      }
    } catch (IllegalArgumentException | BufferUnderflowException e) {
      // Reported below.
    }
    fail.accept(Rule.VALUES, "a version must be a vector clock: '" + value.version() + "'");
    return null;
  }
}
