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
 * +---------+--------+------+--------+------+------+-------+
 * | binding | member | rank | clause | term | seq  | start |
 * | C       | C      | vint | vint   | vint | vint | B     |
 * +---------+--------+------+--------+------+------+-------+
 * | ended? | end | version | origin+1 | amount | ended by |
 * | u8     | B   | C       | vint     | C      | C        |
 * +--------+-----+---------+----------+--------+----------+
 * </pre>
 *
 * The node is the owner of the start. B are the bytes of an {@link HvcCodec}. C are characters
 * behind their number, of which the lowest bit is 1 if each has two bytes: JSON may hold halves of
 * pairs, which UTF-8 loses. In a file that does not outlive the process, hence without a version.
 *
 * @param rank decides between candidates of a node with one own start
 * @param endedBy the version that ended the interval, where that is needed; else empty
 */
record Entry(String binding, long rank, Candidate candidate, String endedBy) {
  private static final byte[] NO_PAYLOAD = new byte[0];
  private static final int VARINTS = 10;
  private static final int VARINT_BYTES_MAX = 10;

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
    return 1
        + VARINTS * VARINT_BYTES_MAX
        + Character.BYTES * textChars()
        + 2 * HvcCodec.bytesMax(start().nodes());
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
    writeVarint(out, rank);
    writeVarint(out, candidate.clause());
    writeVarint(out, candidate.term());
    writeVarint(out, candidate.id().sequence());
    HvcCodec.write(start(), out);
    out.put((byte) (end == null ? 0 : 1));
    if (end != null) {
      HvcCodec.write(end, out);
    }
    writeText(out, candidate.version());
    writeVarint(out, origin == null ? 0 : origin + 1);
    writeText(out, amount());
    writeText(out, endedBy);
  }

  /** {@code known} is what the binding may be: then it is that object. */
  static Entry read(ByteBuffer in, String known) {
    String binding = readText(in, known);
    String member = readText(in, "");
    long rank = readVarint(in);
    int clause = (int) readVarint(in);
    int term = (int) readVarint(in);
    long sequence = readVarint(in);
    Hvc start = HvcCodec.read(in);
    Interval interval = new Interval(start, in.get() == 0 ? null : HvcCodec.read(in));
    CandidateId id = new CandidateId(start.owner(), 0, sequence);
    String version = readText(in, "");
    int origin = (int) readVarint(in);
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
    int length = text.length();
    int wide = 0;
    for (int i = 0; i < length; i++) {
      wide |= text.charAt(i) >>> Byte.SIZE == 0 ? 0 : 1;
    }
    writeVarint(out, ((long) length << 1) | wide);
    for (int i = 0; i < length; i++) {
      if (wide == 0) {
        out.put((byte) text.charAt(i));
      } else {
        out.putChar(text.charAt(i));
      }
    }
  }

  private static String readText(ByteBuffer in, String known) {
    long header = readVarint(in);
    boolean wide = (header & 1) == 1;
    int length = (int) (header >>> 1);
    int from = in.position();
    in.position(from + (wide ? Character.BYTES * length : length));
    boolean isKnown = length == known.length();
    for (int i = 0; isKnown && i < length; i++) {
      isKnown = charAt(in, from, i, wide) == known.charAt(i);
    }
    if (isKnown) {
      return known;
    }
    char[] text = new char[length];
    for (int i = 0; i < length; i++) {
      text[i] = charAt(in, from, i, wide);
    }
    return new String(text);
  }

  private static char charAt(ByteBuffer in, int from, int index, boolean wide) {
    return wide
        ? in.getChar(from + Character.BYTES * index)
        : (char) Byte.toUnsignedInt(in.get(from + index));
  }

  private static void writeVarint(ByteBuffer out, long value) {
    long rest = value;
    for (; (rest & ~0x7FL) != 0; rest >>>= 7) {
      out.put((byte) ((rest & 0x7F) | 0x80));
    }
    out.put((byte) rest);
  }

  private static long readVarint(ByteBuffer in) {
    byte next = in.get();
    long value = next & 0x7F;
    for (int shift = 7; next < 0; shift += 7) {
      next = in.get();
      value |= (next & 0x7FL) << shift;
    }
    return value;
  }
}
