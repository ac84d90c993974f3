package io.palinode.monitor.flink;

import io.palinode.monitor.Codes;
import io.palinode.monitor.Notice;
import io.palinode.wire.v1.CoverageLost;
import io.palinode.wire.v1.Detecting;
import io.palinode.wire.v1.Ended;
import io.palinode.wire.v1.Phantom;
import io.palinode.wire.v1.Violation;
import io.palinode.wire.v1.ViolationRecord;
import org.apache.flink.api.common.typeinfo.TypeInformation;

/**
 * What detection says to the operator that publishes.
 *
 * @param hlc of a hold, release or violation; the partition of a report; 0 for other records
 * @param record to be published, or the report; empty for a hold or release
 */
public record Verdict(Kind kind, long hlc, byte[] record) {
  public static final TypeInformation<Verdict> TYPE =
      new StableType<>(Verdict.class, VerdictSerializer.INSTANCE);

  private static final byte[] NOTHING = {};

  /** How the operator handles the verdict. */
  public enum Kind {
    /** Publish this. */
    RECORD(1),
    /** An event at this HLC has to wait: nothing from there on is judged. */
    HOLD(2),
    /** It waits no more. */
    RELEASE(3),
    /** How far the nodes have been read on a partition; not published by itself. */
    REACHED(4);

    private final int code;

    Kind(int code) {
      this.code = code;
    }

    int code() {
      return code;
    }

    static Kind of(int code) {
      return Codes.of(values(), Kind::code, code);
    }
  }

  public static Verdict of(Violation violation) {
    ViolationRecord record = ViolationRecord.newBuilder().setViolation(violation).build();
    return new Verdict(Kind.RECORD, violation.getViolate(), record.toByteArray());
  }

  public static Verdict of(CoverageLost loss) {
    return record(ViolationRecord.newBuilder().setCoverageLost(loss).build());
  }

  public static Verdict of(Detecting detecting) {
    return record(ViolationRecord.newBuilder().setDetecting(detecting).build());
  }

  public static Verdict of(Phantom phantom) {
    return record(ViolationRecord.newBuilder().setPhantom(phantom).build());
  }

  public static Verdict of(Ended ended) {
    return record(ViolationRecord.newBuilder().setEnded(ended).build());
  }

  public static Verdict hold(long hlc) {
    return new Verdict(Kind.HOLD, hlc, NOTHING);
  }

  public static Verdict release(long hlc) {
    return new Verdict(Kind.RELEASE, hlc, NOTHING);
  }

  public static Verdict reached(Notice notice) {
    return new Verdict(Kind.REACHED, notice.partition(), notice.body());
  }

  private static Verdict record(ViolationRecord record) {
    return new Verdict(Kind.RECORD, 0, record.toByteArray());
  }
}
