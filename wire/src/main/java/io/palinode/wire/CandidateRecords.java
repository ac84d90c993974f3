package io.palinode.wire;

import com.google.protobuf.ByteString;
import io.palinode.hvc.Hvc;
import io.palinode.hvc.HvcCodec;
import io.palinode.wire.v1.CandidateRecord;
import io.palinode.wire.v1.IntervalRef;
import java.nio.charset.StandardCharsets;
import org.apache.kafka.common.utils.Utils;

/**
 * Where candidates go: the key and the partition of a predicate instance, and the times they carry.
 * Pure.
 */
public final class CandidateRecords {
  private CandidateRecords() {}

  /** {@code <predicate>|<binding>}: what shares a partition and is detected together. */
  public static String instanceKey(IntervalRef interval) {
    return instanceKey(interval.getPredicate(), interval.getBinding());
  }

  /** {@code binding} is the canonical text, empty for none. */
  public static String instanceKey(String predicate, String binding) {
    return predicate + "|" + binding;
  }

  /** The bytes of {@link #instanceKey} as the Kafka record's key. */
  public static byte[] keyBytes(String instanceKey) {
    return instanceKey.getBytes(StandardCharsets.UTF_8);
  }

  /** The partition of a key: the one that Kafka's own partitioner picks for these bytes. */
  public static int partition(byte[] keyBytes, int partitions) {
    return Utils.toPositive(Utils.murmur2(keyBytes)) % partitions;
  }

  public static ByteString encode(Hvc hvc) {
    return ByteString.copyFrom(HvcCodec.encode(hvc));
  }

  /** Throws {@link IllegalArgumentException} for bytes that are no HVC. */
  public static Hvc decode(ByteString bytes) {
    return HvcCodec.decode(bytes.toByteArray());
  }

  /**
   * The node's own HLC at which the event stands in its partition: the start of an opened interval,
   * the end of a closed one, how far progress or a stop has come, the last dropped event of a gap.
   * Throws {@link IllegalArgumentException} when there is no event or its clock is unreadable.
   */
  public static long ownTime(CandidateRecord candidate) {
    return switch (candidate.getEventCase()) {
      case OPENED -> decode(candidate.getOpened().getStart()).own();
      case CLOSED -> decode(candidate.getClosed().getEnd()).own();
      case PROGRESS -> decode(candidate.getProgress().getHvc()).own();
      case STOPPED -> decode(candidate.getStopped().getHvc()).own();
      case GAP -> candidate.getGap().getToHlc();
      case EVENT_NOT_SET ->
          throw new IllegalArgumentException(
              "a candidate record must hold an event: node=" + candidate.getNode());
    };
  }
}
