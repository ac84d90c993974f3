package io.palinode.detection;

import io.palinode.hvc.Interval;
import java.math.BigDecimal;
import org.jspecify.annotations.Nullable;

/**
 * An interval in which a term held at a node.
 *
 * @param amount the value of a variable of a sum; null for any other term
 * @param version names the store version that opened it, equal on all replicas
 *     ("store/key@clock.time"); empty when unknown
 * @param origin the node that accepted that version first; null when unknown
 * @param state what a replica has, where that is what the predicate is about; else null
 * @param member with {@code distinct}: the binding of that capture, such as {@code client=7}; else
 *     empty
 * @param payload carried through to the witness untouched (the monitor keeps values and the writer
 *     here)
 */
public record Candidate(
    int clause,
    int term,
    CandidateId id,
    Interval interval,
    String version,
    @Nullable Integer origin,
    @Nullable BigDecimal amount,
    @Nullable ReplicaState state,
    String member,
    byte[] payload) {

  public Candidate {
    if (clause < 0 || term < 0) {
      throw new IllegalArgumentException(
          "clause and term are counted from 0: clause=" + clause + " term=" + term);
    }
    if (id.node() != interval.node()) {
      throw new IllegalArgumentException(
          "an interval starts at the node of its candidate: id="
              + id
              + " start="
              + interval.start());
    }
  }

  /** Of a value. */
  public Candidate(
      int clause,
      int term,
      CandidateId id,
      Interval interval,
      String version,
      @Nullable Integer origin,
      @Nullable BigDecimal amount,
      byte[] payload) {
    this(clause, term, id, interval, version, origin, amount, null, "", payload);
  }

  /** Of what a replica has, from the start of {@code interval} on. */
  public static Candidate ofState(
      CandidateId id, Interval interval, ReplicaState state, byte[] payload) {
    return new Candidate(0, 0, id, interval, "", null, null, state, "", payload);
  }

  /** Of a term that is not summed up. */
  public Candidate(
      int clause,
      int term,
      CandidateId id,
      Interval interval,
      String version,
      @Nullable Integer origin,
      byte[] payload) {
    this(clause, term, id, interval, version, origin, null, payload);
  }

  /** The same candidate, when more became known of its interval. */
  public Candidate over(Interval known) {
    return new Candidate(clause, term, id, known, version, origin, amount, state, member, payload);
  }

  /** The same candidate with another payload. */
  public Candidate carrying(byte[] other) {
    return new Candidate(clause, term, id, interval, version, origin, amount, state, member, other);
  }

  /** The same candidate, of {@code other} member. */
  public Candidate ofMember(String other) {
    return new Candidate(
        clause, term, id, interval, version, origin, amount, state, other, payload);
  }

  /** Whether this is another replica's copy of a version that {@link #origin} accepted first. */
  public boolean isCopy() {
    return origin != null && origin != id.node();
  }
}
