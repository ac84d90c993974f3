package io.palinode.detection.file;

import io.palinode.detection.Candidate;
import io.palinode.detection.CandidateId;
import io.palinode.hvc.Hvc;
import io.palinode.hvc.HvcCodec;
import io.palinode.hvc.Interval;
import java.math.BigDecimal;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * A candidate while a trace is sorted.
 *
 * <pre>
 * +---------+--------+------+--------+------+-----+-------+
 * | binding | member | rank | clause | term | seq | start |
 * | i32, C  | i32, C | i64  | i32    | i32  | i64 | B     |
 * +---------+--------+------+--------+------+-----+-------+
 * | ended? | end | version | origin+1 | amount | ended by |
 * | u8     | B   | i32, C  | i32      | i32, C | i32, C   |
 * +--------+-----+---------+----------+--------+----------+
 * </pre>
 *
 * The node is the owner of the start. B are the bytes of an {@link HvcCodec}, C are characters:
 * JSON may hold halves of pairs, which UTF-8 loses. In a file that does not outlive the process,
 * hence without a version.
 *
 * @param rank decides between candidates of a node with one own start
 * @param endedBy the version that ended the interval, where that is needed; else empty
 */
record Entry(String binding, long rank, Candidate candidate, String endedBy) {
  private static final byte[] NO_PAYLOAD = new byte[0];

  Entry(String binding, long rank, Candidate candidate) {
    this(binding, rank, candidate, "");
  }

  /** Whether both are of one instance and node. */
  boolean isOfNodeOf(Entry other) {
    return candidate.id().node() == other.candidate.id().node() && binding.equals(other.binding);
  }

  /** Whether both are of one version of one term and member in one instance. */
  boolean isOfVersionOf(Entry other) {
    return candidate.clause() == other.candidate.clause()
        && candidate.term() == other.candidate.term()
        && candidate.member().equals(other.candidate.member())
        && candidate.version().equals(other.candidate.version())
        && binding.equals(other.binding);
  }

  /** About how many bytes of heap one takes, with clocks of {@code nodes} entries. */
  static long heapBytes(int nodes) {
    return 420 + 16L * nodes;
  }

  /** The most bytes that {@link #write} writes. */
  int bytesMax() {
    return 68 + Character.BYTES * textChars() + 2 * HvcCodec.bytesMax(start().nodes());
  }

  private int textChars() {
    return binding.length()
        + candidate.member().length()
        + candidate.version().length()
        + amount().length()
        + endedBy.length();
  }

  private Hvc start() {
    return candidate.interval().start();
  }

  private String amount() {
    BigDecimal amount = candidate.amount();
    return amount == null ? "" : amount.toString();
  }

  void write(ByteBuffer out) {
    Hvc end = candidate.interval().end();
    Integer origin = candidate.origin();
    writeText(out, binding);
    writeText(out, candidate.member());
    out.putLong(rank);
    out.putInt(candidate.clause());
    out.putInt(candidate.term());
    out.putLong(candidate.id().sequence());
    HvcCodec.write(start(), out);
    out.put((byte) (end == null ? 0 : 1));
    if (end != null) {
      HvcCodec.write(end, out);
    }
    writeText(out, candidate.version());
    out.putInt(origin == null ? 0 : origin + 1);
    writeText(out, amount());
    writeText(out, endedBy);
  }

  /** {@code known} is what the binding may be: then it is that object. */
  static Entry read(ByteBuffer in, String known) {
    String binding = readText(in, known);
    String member = readText(in, "");
    long rank = in.getLong();
    int clause = in.getInt();
    int term = in.getInt();
    long sequence = in.getLong();
    Hvc start = HvcCodec.read(in);
    Interval interval = new Interval(start, in.get() == 0 ? null : HvcCodec.read(in));
    CandidateId id = new CandidateId(start.owner(), 0, sequence);
    String version = readText(in, "");
    int origin = in.getInt();
    @Nullable Integer from = origin == 0 ? null : Integer.valueOf(origin - 1);
    String text = readText(in, "");
    @Nullable BigDecimal amount = text.isEmpty() ? null : new BigDecimal(text);
    return new Entry(
        binding,
        rank,
        new Candidate(clause, term, id, interval, version, from, amount, null, member, NO_PAYLOAD),
        readText(in, ""));
  }

  private static void writeText(ByteBuffer out, String text) {
    out.putInt(text.length());
    for (int i = 0; i < text.length(); i++) {
      out.putChar(text.charAt(i));
    }
  }

  private static String readText(ByteBuffer in, String known) {
    int length = in.getInt();
    int from = in.position();
    in.position(from + Character.BYTES * length);
    boolean isKnown = length == known.length();
    for (int i = 0; isKnown && i < length; i++) {
      isKnown = in.getChar(from + Character.BYTES * i) == known.charAt(i);
    }
    if (isKnown) {
      return known;
    }
    char[] text = new char[length];
    for (int i = 0; i < length; i++) {
      text[i] = in.getChar(from + Character.BYTES * i);
    }
    return new String(text);
  }
}
