package io.palinode.monitor;

import com.google.protobuf.InvalidProtocolBufferException;
import io.palinode.detection.DetectionSpec;
import io.palinode.hvc.Epsilon;
import io.palinode.hvc.Hlc;
import io.palinode.predicate.PredicateLimits;
import io.palinode.predicate.form.Predicates;
import io.palinode.wire.v1.PredicateRecord;
import org.jspecify.annotations.Nullable;

/**
 * The newest known version of a predicate, as detection needs it.
 *
 * @param spec null when the predicate is deleted
 * @param appliedHlc when this version was applied; 0: not known
 */
public record ActivePredicate(
    String name, long version, @Nullable DetectionSpec spec, long appliedHlc) {

  /** What is to be done with a candidate of a predicate's version. */
  public enum Standing {
    /** It is of the active version. */
    CURRENT,
    /** It is of a version that is not known yet: candidates and predicates come by two topics. */
    AHEAD,
    /** It is of a version that was replaced or deleted. */
    OUTDATED
  }

  /**
   * Throws {@link IllegalArgumentException} or a {@link
   * io.palinode.predicate.text.PredicateException} for a record that holds no predicate.
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
   * Whether an event of a version before this one, at {@code hlc}, tells that its node does not
   * look for this one yet, though it is in force: what the node sees is not judged by it. What was
   * before that is: by the version that was in force then. Where nobody knows when this one was
   * applied, no event tells that.
   */
  public boolean isMissedBy(long hlc) {
    return spec != null && appliedHlc > 0 && hlc >= appliedHlc;
  }
}
