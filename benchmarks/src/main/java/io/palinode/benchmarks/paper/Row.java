package io.palinode.benchmarks.paper;

import com.fasterxml.jackson.annotation.JsonProperty;
import io.palinode.benchmarks.Spread;
import io.palinode.benchmarks.Turns;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One figure of a table.
 *
 * @param id the same in every report; rows of two reports are compared by it
 * @param paper null: not printed
 * @param values one a repetition, in the order of measuring; empty: not measured
 * @param alike the same figure between two runs of one side, so 0 without noise; empty: no side is
 *     compared with another
 * @param note the reason if it was not measured; what a reader must know
 */
public record Row(
    String id,
    String what,
    String unit,
    Better better,
    @Nullable Printed paper,
    List<Double> values,
    List<Double> alike,
    String note) {

  public Row {
    values = List.copyOf(values);
    alike = List.copyOf(alike);
    if (values.stream().anyMatch(value -> value.isNaN() || value.isInfinite())) {
      throw new IllegalArgumentException("a figure must be finite: " + id + "=" + values);
    }
  }

  /** A figure whose repetitions stand by themselves. {@code values} must not be empty. */
  public static Row of(
      String id,
      String what,
      String unit,
      Better better,
      @Nullable Printed paper,
      List<Double> values,
      String note) {
    return effect(id, what, unit, better, paper, new Turns.Effect(values, List.of()), note);
  }

  /** A figure that compares two sides. */
  public static Row effect(
      String id,
      String what,
      String unit,
      Better better,
      @Nullable Printed paper,
      Turns.Effect effect,
      String note) {
    if (effect.values().isEmpty()) {
      throw new IllegalArgumentException("a measured row needs a value: " + id);
    }
    return new Row(id, what, unit, better, paper, effect.values(), effect.alike(), note);
  }

  /** A figure that cannot be measured here, with the reason. */
  public static Row notHere(
      String id, String what, String unit, @Nullable Printed paper, String reason) {
    return new Row(id, what, unit, Better.HIGHER, paper, List.of(), List.of(), reason);
  }

  @JsonProperty(access = JsonProperty.Access.READ_ONLY)
  public Verdict verdict() {
    return values.isEmpty() ? Verdict.NOT_HERE : Verdict.of(better, paper, values, alike);
  }

  /** Null if it was not measured. */
  @JsonProperty(access = JsonProperty.Access.READ_ONLY)
  public @Nullable Spread ours() {
    return values.isEmpty() ? null : Spread.of(values);
  }

  /** Our median by the middle of what is printed; null if noise exceeds it or one is missing. */
  @JsonProperty(access = JsonProperty.Access.READ_ONLY)
  public @Nullable Double ratio() {
    Spread ours = ours();
    if (ours == null || paper == null || paper.middle() == 0 || verdict() == Verdict.NOISE) {
      return null;
    }
    return ours.median() / paper.middle();
  }
}
