package io.palinode.detection.witness;

import io.palinode.detection.CandidateId;
import io.palinode.hvc.Epsilon;
import io.palinode.hvc.Grade;
import io.palinode.hvc.Hvc;
import io.palinode.hvc.Uncertainty;
import io.palinode.predicate.ReplicaRule;
import java.util.List;
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

  /** The same with another text of the predicate. */
  public PortableWitness withYaml(String yaml) {
    Subject with =
        new Subject(
            subject.predicate(), subject.version(), yaml, subject.binding(), subject.clause());
    return of(with, rules, finding, circumstance, intervals);
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

  /** What was found: see {@link io.palinode.detection.Witness} and {@code ViolationId}. */
  public record Finding(String id, Grade grade, long first, long violate) {}

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
    HOLDS,
    /** With {@code lostUpdate}: it was superseded. The value may be its beginning only. */
    LOST,
    /** With {@code lostUpdate}: the writer had seen that version. There is no value. */
    SEEN,
    /** With a read: the session had written that version before. There is no value. */
    WRITTEN,
    /** With a read: the session had read that version before. There is no value. */
    READ
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
