package io.palinode.monitor;

import com.google.protobuf.ByteString;
import io.palinode.detection.Candidate;
import io.palinode.detection.CandidateId;
import io.palinode.detection.Witness;
import io.palinode.hvc.Grade;
import io.palinode.hvc.Hvc;
import io.palinode.wire.CandidateRecords;
import io.palinode.wire.v1.IntervalRef;
import io.palinode.wire.v1.Opened;
import io.palinode.wire.v1.Violation;
import io.palinode.wire.v1.ViolationGrade;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Collectors;

/** What is published of a witness. Pure. */
public final class Violations {
  private static final int ID_BYTES = 16;

  private Violations() {}

  /** {@code interval} names the predicate, its version and the binding; its clause is not read. */
  public static Violation of(
      IntervalRef interval, long epoch, Witness witness, long detectedMicros) {
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
            .setDetectedMicros(detectedMicros);
    witness.candidates().forEach(candidate -> violation.addWitnesses(witness(candidate)));
    return violation.build();
  }

  /**
   * The first 32 hexadecimal digits of the SHA-256 of {@code
   * <predicate>|<version>|<binding>|<clause>|<node>:<incarnation>:<sequence>,…}, predicate and
   * binding with their lengths before them and the witnesses sorted: whoever finds the same
   * witnesses, in whatever order, finds the same id.
   */
  static String id(IntervalRef interval, Witness witness) {
    String witnesses =
        witness.candidates().stream()
            .map(Candidate::id)
            .sorted(
                Comparator.comparingInt(CandidateId::node)
                    .thenComparingLong(CandidateId::incarnation)
                    .thenComparingLong(CandidateId::sequence))
            .map(id -> id.node() + ":" + id.incarnation() + ":" + id.sequence())
            .collect(Collectors.joining(","));
    String text =
        String.join(
            "|",
            List.of(
                sized(interval.getPredicate()),
                Long.toString(interval.getPredicateVersion()),
                sized(interval.getBinding()),
                Integer.toString(witness.clause()),
                witnesses));
    byte[] digest = sha256().digest(text.getBytes(StandardCharsets.UTF_8));
    return HexFormat.of().formatHex(Arrays.copyOf(digest, ID_BYTES));
  }

  private static String sized(String text) {
    return text.length() + ":" + text;
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

  private static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }
}
