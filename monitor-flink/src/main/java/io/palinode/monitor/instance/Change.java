package io.palinode.monitor.instance;

import com.google.protobuf.InvalidProtocolBufferException;
import io.palinode.detection.Candidate;
import io.palinode.detection.CandidateId;
import io.palinode.detection.DetectionSpec;
import io.palinode.detection.ReplicaState;
import io.palinode.hvc.Interval;
import io.palinode.predicate.template.Decimal;
import io.palinode.wire.CandidateRecords;
import io.palinode.wire.v1.CandidateRecord;
import io.palinode.wire.v1.Closed;
import io.palinode.wire.v1.IntervalRef;
import io.palinode.wire.v1.Opened;
import io.palinode.wire.v1.VariableVersion;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/**
 * What a record changes in its predicate instance.
 *
 * @param candidate the interval that the record opens or closes
 * @param endedBy the version that ended the interval; empty for an opening and after a delete
 * @param endOrigin the first acceptor of that version, if known
 */
public record Change(Candidate candidate, String endedBy, @Nullable Integer endOrigin) {

  /**
   * Returns the change that a record describes. Throws {@link IllegalArgumentException} if the
   * predicate lacks the term, or if the end is before the start.
   */
  public static Change of(CandidateRecord record, DetectionSpec spec) {
    return record.hasOpened()
        ? opened(record, record.getOpened(), spec)
        : closed(record, record.getClosed(), spec);
  }

  /** Returns the predicate instance and term of an opening or closing. */
  public static IntervalRef interval(CandidateRecord record) {
    return record.hasOpened() ? record.getOpened().getInterval() : record.getClosed().getInterval();
  }

  /**
   * Returns whether the record opens a trigger of {@code within}, its term 0, that a node found: it
   * asked for its answer when it began.
   */
  public static boolean asksAgain(CandidateRecord record, DetectionSpec spec) {
    return spec.isWithin() && record.getOpened().getFound() && interval(record).getTerm() == 0;
  }

  /** Returns whether the record opens a trigger of {@code within} that asks for an answer. */
  public static boolean asks(CandidateRecord record, DetectionSpec spec) {
    return spec.isWithin()
        && record.hasOpened()
        && !record.getOpened().getFound()
        && interval(record).getTerm() == 0;
  }

  public boolean opens() {
    return candidate.interval().isOpen();
  }

  /** Returns the values and the writer of a candidate that this class made. */
  static Opened payload(Candidate candidate) {
    try {
      return Opened.parseFrom(candidate.payload());
    } catch (InvalidProtocolBufferException e) {
      throw new IllegalStateException(
          "a payload of this job must be readable: " + candidate.id(), e);
    }
  }

  /**
   * Returns {@code store/key@clock.time}, with the clock in hexadecimal. Equal for one version on
   * all replicas. Has no time if a node of an earlier release published the version.
   */
  static String version(VariableVersion version) {
    String untimed =
        variable(version) + "@" + HexFormat.of().formatHex(version.getClock().toByteArray());
    return version.hasTimestampMs() ? untimed + "." + version.getTimestampMs() : untimed;
  }

  private static String variable(VariableVersion version) {
    // Latin-1, not UTF-8: it maps different keys to different texts.
    return version.getStore() + "/" + version.getKey().toString(StandardCharsets.ISO_8859_1);
  }

  private static Change opened(CandidateRecord record, Opened opened, DetectionSpec spec) {
    Opened.Builder payload =
        Opened.newBuilder().addAllValues(opened.getValuesList()).setWriter(opened.getWriter());
    IntervalRef interval = requireTerm(opened.getInterval(), spec);
    if (spec.isOfStates()) {
      return ofState(record, opened, payload.build());
    }
    return new Change(
        new Candidate(
            interval.getClause(),
            interval.getTerm(),
            new CandidateId(record.getNode(), record.getIncarnation(), record.getSequence()),
            new Interval(CandidateRecords.decode(opened.getStart()), null),
            opened.getValuesCount() == 0 ? "" : version(opened.getValues(0)),
            opened.hasOrigin() ? opened.getOrigin() : null,
            opened.getValuesCount() == 0 ? null : amount(spec, interval, opened.getValues(0)),
            null,
            interval.getMember(),
            payload.build().toByteArray()),
        "",
        null);
  }

  private static Change ofState(CandidateRecord record, Opened opened, Opened payload) {
    if (!opened.hasDigest() || opened.getValuesCount() == 0) {
      throw new IllegalArgumentException(
          "a replica's state must have a key and a digest: node=" + record.getNode());
    }
    ReplicaState state =
        new ReplicaState(
            variable(opened.getValues(0)), opened.getDigest(), opened.getReplicasList());
    return new Change(
        Candidate.ofState(
            new CandidateId(record.getNode(), record.getIncarnation(), record.getSequence()),
            new Interval(CandidateRecords.decode(opened.getStart()), null),
            state,
            payload.toByteArray()),
        "",
        null);
  }

  private static Change closed(CandidateRecord record, Closed closed, DetectionSpec spec) {
    Opened.Builder payload = Opened.newBuilder();
    if (closed.hasOpenedBy()) {
      payload.addValues(closed.getOpenedBy());
    }
    IntervalRef interval = requireTerm(closed.getInterval(), spec);
    if (spec.isOfStates()) {
      throw new IllegalArgumentException(
          "a replica's state must have no closing: node=" + record.getNode());
    }
    return new Change(
        new Candidate(
            interval.getClause(),
            interval.getTerm(),
            new CandidateId(record.getNode(), record.getIncarnation(), closed.getOpenedSequence()),
            new Interval(
                CandidateRecords.decode(closed.getStart()),
                CandidateRecords.decode(closed.getEnd())),
            closed.hasOpenedBy() ? version(closed.getOpenedBy()) : "",
            null,
            closed.hasOpenedBy() ? amount(spec, interval, closed.getOpenedBy()) : null,
            null,
            interval.getMember(),
            payload.build().toByteArray()),
        closed.hasEndedBy() ? version(closed.getEndedBy()) : "",
        closed.hasOrigin() ? closed.getOrigin() : null);
  }

  private static IntervalRef requireTerm(IntervalRef interval, DetectionSpec spec) {
    spec.requireTerm(interval.getClause(), interval.getTerm());
    return interval;
  }

  /**
   * Returns what a variable adds to a sum; null for other terms and for text that is no decimal.
   */
  private static @Nullable BigDecimal amount(
      DetectionSpec spec, IntervalRef interval, VariableVersion version) {
    Decimal value =
        spec.isSum(interval.getClause()) ? Decimal.read(version.getValue().toStringUtf8()) : null;
    return value == null ? null : value.value();
  }
}
