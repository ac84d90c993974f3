package io.palinode.monitor.instance;

import com.google.protobuf.InvalidProtocolBufferException;
import io.palinode.detection.DetectionSpec;
import io.palinode.hvc.Epsilon;
import io.palinode.hvc.Hlc;
import io.palinode.predicate.PredicateLimits;
import io.palinode.predicate.form.Predicates;
import io.palinode.wire.v1.PredicateRecord;
import org.jspecify.annotations.Nullable;

/**
 * The newest known version of a predicate, parsed for detection.
 *
 * @param spec null if the predicate is deleted
 * @param appliedHlc when this version was applied; 0 if not known
 */
public record ActivePredicate(
    String name, long version, @Nullable DetectionSpec spec, long appliedHlc) {

  /** How a candidate's predicate version compares with the active one. */
  public enum Standing {
    /** The candidate has the active version. */
    CURRENT,
    /**
     * The candidate's version is not known yet. Candidates and predicates arrive by different
     * topics.
     */
    AHEAD,
    /** The candidate's version was replaced or deleted. */
    OUTDATED
  }

  /**
   * Parses a predicate record. Throws {@link IllegalArgumentException} or {@link
   * io.palinode.predicate.text.PredicateException} if the record holds no predicate.
   *
   * @param epsilon the cluster's, for predicates that name none
   */
  public static ActivePredicate of(byte[] predicateRecord, int nodes, Epsilon epsilon) {
    PredicateRecord record = decode(predicateRecord);
    return record.getDeleted()
        ? deleted(record.getName(), record.getVersion())
        : new ActivePredicate(
            record.getName(),
            record.getVersion(),
            DetectionSpec.of(
                Predicates.parse(record.getYaml(), record.getName(), PredicateLimits.CEILING),
                nodes,
                epsilon),
            Hlc.ofMicros(record.getAppliedAtMicros()));
  }

  public static ActivePredicate deleted(String name, long version) {
    return new ActivePredicate(name, version, null, 0);
  }

  public static PredicateRecord decode(byte[] predicateRecord) {
    try {
      return PredicateRecord.parseFrom(predicateRecord);
    } catch (InvalidProtocolBufferException e) {
      throw new IllegalArgumentException(
          "a predicate record must be protobuf: " + e.getMessage(), e);
    }
  }

  /** {@code active} is null while no version of the predicate is known. */
  public static Standing standing(@Nullable ActivePredicate active, long candidateVersion) {
    if (active == null || candidateVersion > active.version) {
      return Standing.AHEAD;
    }
    return candidateVersion < active.version || active.spec == null
        ? Standing.OUTDATED
        : Standing.CURRENT;
  }

  /**
   * Returns whether the event's node misses violations of this version. The event has an older
   * version and the time {@code hlc}. If {@code hlc} is at or after the time at which this version
   * was applied, the node does not evaluate this version yet. False if the time of application is
   * not known.
   */
  public boolean isMissedBy(long hlc) {
    return spec != null && appliedHlc > 0 && hlc >= appliedHlc;
  }
}
