package io.palinode.monitor.instance;

import com.google.protobuf.ByteString;
import io.palinode.detection.Candidate;
import io.palinode.detection.CandidateId;
import io.palinode.detection.DetectionSpec;
import io.palinode.detection.ViolationId;
import io.palinode.detection.Witness;
import io.palinode.hvc.Grade;
import io.palinode.hvc.Hvc;
import io.palinode.wire.CandidateRecords;
import io.palinode.wire.v1.Ended;
import io.palinode.wire.v1.IntervalRef;
import io.palinode.wire.v1.Opened;
import io.palinode.wire.v1.Violation;
import io.palinode.wire.v1.ViolationGrade;
import java.util.List;

/** What is published of a witness. Pure. */
public final class Violations {
  private Violations() {}

  /**
   * Cut if it is too long for a record. {@code interval} names the predicate, its version and the
   * binding; its clause is not read.
   *
   * @param spec by which it was judged
   */
  public static Violation of(
      IntervalRef interval, DetectionSpec spec, long epoch, Witness witness, long detectedMicros) {
    Violation.Builder violation =
        Violation.newBuilder()
            .setId(id(interval, witness))
            .setPredicate(interval.getPredicate())
            .setPredicateVersion(interval.getPredicateVersion())
            .setBinding(interval.getBinding())
            .setClause(witness.clause())
            .setGrade(grade(witness.grade()))
            .setFirst(witness.first())
            .setViolate(witness.violate())
            .setEpoch(epoch)
            .setDetectedMicros(detectedMicros)
            .setEpsilon(spec.causality().epsilon().toString())
            .setEnded(witness.ended());
    if (spec.isWithin()) {
      violation.setWithinMicros(spec.within().micros());
    }
    witness.candidates().forEach(candidate -> violation.addWitnesses(witness(candidate)));
    return ViolationSize.cut(violation.build());
  }

  /** As of {@link #of}. */
  public static String id(IntervalRef interval, Witness witness) {
    return id(
        interval, witness.clause(), witness.candidates().stream().map(Candidate::id).toList());
  }

  /** The end of a violation that was published. {@code interval} is as of {@link #of}. */
  public static Ended ended(IntervalRef interval, io.palinode.detection.Ended ended) {
    return Ended.newBuilder()
        .setId(id(interval, ended.clause(), ended.witnesses()))
        .setHlc(ended.hlc())
        .build();
  }

  private static String id(IntervalRef interval, int clause, List<CandidateId> witnesses) {
    return ViolationId.of(
        interval.getPredicate(),
        interval.getPredicateVersion(),
        interval.getBinding(),
        clause,
        witnesses);
  }

  private static io.palinode.wire.v1.Witness witness(Candidate candidate) {
    Opened payload = Change.payload(candidate);
    io.palinode.wire.v1.Witness.Builder witness =
        io.palinode.wire.v1.Witness.newBuilder()
            .setTerm(candidate.term())
            .setNode(candidate.id().node())
            .setIncarnation(candidate.id().incarnation())
            .setSequence(candidate.id().sequence())
            .setStart(CandidateRecords.encode(candidate.interval().start()))
            .addAllValues(payload.getValuesList())
            .setWriter(payload.getWriter());
    if (!candidate.member().isEmpty()) {
      witness.setMember(candidate.member());
    }
    Hvc end = candidate.interval().end();
    ByteString encoded = end == null ? null : CandidateRecords.encode(end);
    return (encoded == null ? witness : witness.setEnd(encoded)).build();
  }

  private static ViolationGrade grade(Grade grade) {
    return switch (grade) {
      case UNCERTAIN -> ViolationGrade.UNCERTAIN;
      case POSSIBLE -> ViolationGrade.POSSIBLE;
      case DEFINITE -> ViolationGrade.DEFINITE;
    };
  }
}
