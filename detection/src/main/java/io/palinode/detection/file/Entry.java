package io.palinode.detection.file;

import io.palinode.detection.Candidate;
import io.palinode.detection.CandidateId;
import io.palinode.hvc.Hvc;
import io.palinode.hvc.HvcCodec;
import io.palinode.hvc.Interval;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.math.BigDecimal;
import java.util.Comparator;
import org.jspecify.annotations.Nullable;

/**
 * A candidate while a trace is sorted.
 *
 * <pre>
 * +---------+------+-------+--------+------+-----+-------+----------+---------+----------+-------------+
 * | binding | rank | clause | term  | node | seq | start | end or - | version | origin+1 | amount or - |
 * | i32, C  | i64  | i32    | i32   | i32  | i64 | i32,B | i32 = 0  | i32, C  | i32      | i32, C      |
 * +---------+------+-------+--------+------+-----+-------+----------+---------+----------+-------------+
 * </pre>
 *
 * B are the bytes of an {@link HvcCodec}, C are characters: JSON may hold halves of pairs, which
 * UTF-8 loses. In a file that does not outlive the process, hence without a version.
 *
 * @param rank decides between candidates of a node with one own start
 */
record Entry(String binding, long rank, Candidate candidate) {
  /** Instance by instance, node by node, in the order of starts. */
  static final Comparator<Entry> BY_START =
      Comparator.comparing(Entry::binding)
          .thenComparingInt(entry -> entry.candidate.id().node())
          .thenComparingLong(entry -> entry.candidate.interval().start().own())
          .thenComparingLong(Entry::rank);

  /** What the replicas show of one version stands together. */
  static final Comparator<Entry> BY_VERSION =
      Comparator.comparing(Entry::binding)
          .thenComparingInt(entry -> entry.candidate.clause())
          .thenComparingInt(entry -> entry.candidate.term())
          .thenComparing(entry -> entry.candidate.version())
          .thenComparingLong(Entry::rank);

  private static final byte[] NO_PAYLOAD = new byte[0];

  /** Whether both are of one version of one term in one instance. */
  boolean isOfVersionOf(Entry other) {
    return candidate.clause() == other.candidate.clause()
        && candidate.term() == other.candidate.term()
        && candidate.version().equals(other.candidate.version())
        && binding.equals(other.binding);
  }

  /** About how many bytes of heap one takes, with clocks of {@code nodes} entries. */
  static long heapBytes(int nodes) {
    return 420 + 16L * nodes;
  }

  void write(DataOutputStream out) throws IOException {
    Hvc end = candidate.interval().end();
    Integer origin = candidate.origin();
    writeText(out, binding);
    out.writeLong(rank);
    out.writeInt(candidate.clause());
    out.writeInt(candidate.term());
    out.writeInt(candidate.id().node());
    out.writeLong(candidate.id().sequence());
    writeBytes(out, HvcCodec.encode(candidate.interval().start()));
    writeBytes(out, end == null ? NO_PAYLOAD : HvcCodec.encode(end));
    writeText(out, candidate.version());
    out.writeInt(origin == null ? 0 : origin + 1);
    BigDecimal amount = candidate.amount();
    writeText(out, amount == null ? "" : amount.toString());
  }

  static Entry read(DataInputStream in) throws IOException {
    String binding = readText(in);
    long rank = in.readLong();
    int clause = in.readInt();
    int term = in.readInt();
    CandidateId id = new CandidateId(in.readInt(), 0, in.readLong());
    Hvc start = HvcCodec.decode(readBytes(in));
    byte[] end = readBytes(in);
    Interval interval = new Interval(start, end.length == 0 ? null : HvcCodec.decode(end));
    String version = readText(in);
    int origin = in.readInt();
    @Nullable Integer from = origin == 0 ? null : Integer.valueOf(origin - 1);
    String text = readText(in);
    @Nullable BigDecimal amount = text.isEmpty() ? null : new BigDecimal(text);
    return new Entry(
        binding,
        rank,
        new Candidate(clause, term, id, interval, version, from, amount, NO_PAYLOAD));
  }

  private static void writeText(DataOutputStream out, String text) throws IOException {
    out.writeInt(text.length());
    out.writeChars(text);
  }

  private static String readText(DataInputStream in) throws IOException {
    char[] text = new char[in.readInt()];
    for (int i = 0; i < text.length; i++) {
      text[i] = in.readChar();
    }
    return new String(text);
  }

  private static void writeBytes(DataOutputStream out, byte[] bytes) throws IOException {
    out.writeInt(bytes.length);
    out.write(bytes);
  }

  private static byte[] readBytes(DataInputStream in) throws IOException {
    int length = in.readInt();
    return length == 0 ? NO_PAYLOAD : in.readNBytes(length);
  }
}
