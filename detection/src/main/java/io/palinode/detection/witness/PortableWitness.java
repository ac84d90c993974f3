package io.palinode.detection.witness;

import io.palinode.detection.CandidateId;
import io.palinode.detection.OperationReason;
import io.palinode.hvc.Epsilon;
import io.palinode.hvc.Grade;
import io.palinode.hvc.Hvc;
import io.palinode.hvc.Uncertainty;
import io.palinode.predicate.ClauseRule;
import io.palinode.predicate.ReplicaRule;
import io.palinode.predicate.template.Decimal;
import java.math.BigDecimal;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A violation with all that is needed to check it. It may be wrong: {@link WitnessCheck} decides.
 *
 * @param intervals of the terms that make the clause true, in the order of terms
 * @param digest see {@link WitnessDigest}
 */
public record PortableWitness(
    Subject subject,
    Rules rules,
    Finding finding,
    Circumstance circumstance,
    List<HeldInterval> intervals,
    String digest) {

  public PortableWitness {
    intervals = List.copyOf(intervals);
  }

  /** With the digest that belongs to it. */
  public static PortableWitness of(
      Subject subject,
      Rules rules,
      Finding finding,
      Circumstance circumstance,
      List<HeldInterval> intervals) {
    PortableWitness open =
        new PortableWitness(subject, rules, finding, circumstance, intervals, "");
    return new PortableWitness(
        subject, rules, finding, circumstance, intervals, WitnessDigest.of(open));
  }

  /** The same with the sentence of {@link WitnessMeaning}, for readers of the file. */
  public PortableWitness explained() {
    Finding with =
        new Finding(
            finding.id(),
            finding.grade(),
            finding.first(),
            finding.violate(),
            WitnessMeaning.of(this));
    return of(subject, rules, with, circumstance, intervals);
  }

  /** The same with another text of the predicate. */
  public PortableWitness withYaml(String yaml) {
    Subject with =
        new Subject(
            subject.predicate(), subject.version(), yaml, subject.binding(), subject.clause());
    return of(with, rules, finding, circumstance, intervals);
  }

  /** What its intervals add up to; one without a decimal adds nothing. */
  BigDecimal sum(ClauseRule.Sum rule) {
    BigDecimal sum = BigDecimal.ZERO;
    for (HeldInterval interval : intervals) {
      Decimal value =
          interval.values().isEmpty() ? null : Decimal.read(interval.values().get(0).value());
      sum = value == null ? sum : sum.add(rule.amount(interval.term(), value.value()));
    }
    return sum;
  }

  /**
   * What was violated.
   *
   * @param yaml the predicate's text, in the version {@code version}
   * @param binding the canonical text, empty for none
   */
  public record Subject(String predicate, long version, String yaml, String binding, int clause) {}

  /**
   * By which rules.
   *
   * @param epsilon the predicate's, or the cluster's if the predicate names none
   */
  public record Rules(Epsilon epsilon, Uncertainty uncertainty, ReplicaRule replicas) {}

  /**
   * What was found: see {@link io.palinode.detection.Witness} and {@code ViolationId}.
   *
   * @param meaning of the grade, by the release that wrote the witness; null: it wrote none
   */
  public record Finding(
      String id, Grade grade, long first, long violate, @Nullable String meaning) {
    /** Without the sentence. */
    public Finding(String id, Grade grade, long first, long violate) {
      this(id, grade, first, violate, null);
    }
  }

  /** What was the case then, and cannot be checked. */
  public record Circumstance(long epoch, long detectedMicros) {}

  /**
   * A term held at a node.
   *
   * @param end null while it is open; at another node than the start when replicas were joined
   * @param writer empty when unknown
   * @param values that make the term true, at least one
   * @param member with {@code distinct}: the binding of that capture; else empty
   */
  public record HeldInterval(
      int term,
      CandidateId id,
      Hvc start,
      @Nullable Hvc end,
      String writer,
      List<HeldValue> values,
      String member) {
    public HeldInterval {
      values = List.copyOf(values);
    }

    /** Of a clause without {@code distinct}. */
    public HeldInterval(
        int term,
        CandidateId id,
        Hvc start,
        @Nullable Hvc end,
        String writer,
        List<HeldValue> values) {
      this(term, id, start, end, writer, values, "");
    }
  }

  /** What a value is evidence of. */
  public enum Role {
    /** It makes the term true. */
    HOLDS(null),
    /** With {@code lostUpdate}: it was superseded. The value may be its beginning only. */
    LOST(OperationReason.LOST_UPDATE),
    /** With {@code lostUpdate}: the writer had seen that version. There is no value. */
    SEEN(null),
    /** With a read: the session had written that version before. There is no value. */
    WRITTEN(OperationReason.READ_AFTER_WRITE),
    /** With a read: the session had read that version before. There is no value. */
    READ(OperationReason.READ_AFTER_READ);

    private final @Nullable OperationReason operation;

    Role(@Nullable OperationReason operation) {
      this.operation = operation;
    }

    /** Which operation the values of a term are of; null: they make their term true. */
    public static @Nullable OperationReason operation(Stream<Role> roles) {
      return roles.map(role -> role.operation).filter(Objects::nonNull).findFirst().orElse(null);
    }
  }

  /**
   * @param version of the value in its store, as hexadecimal digits
   */
  public record HeldValue(String store, String key, String value, String version, Role role) {
    /** Of a value that makes the term true. */
    public HeldValue(String store, String key, String value, String version) {
      this(store, key, value, version, Role.HOLDS);
    }
  }
}
