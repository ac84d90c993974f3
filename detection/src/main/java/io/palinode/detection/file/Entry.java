package io.palinode.detection.file;

import io.palinode.detection.Candidate;
import io.palinode.detection.CandidateId;
import io.palinode.hvc.Hvc;
import io.palinode.hvc.Interval;
import java.math.BigDecimal;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * A candidate while a trace is sorted.
 *
 * <pre>
 * +---------+-------+------+--------+------+------+-------+-------+
 * | binding | flags | rank | clause | term | seq  | nodes | start |
 * | C       | u8    | vint | vint   | vint | vint | vint  | H     |
 * +---------+-------+------+--------+------+------+-------+-------+
 * If its flag is set:
 * +-----+--------+---------+--------+--------+----------+
 * | end | member | version | origin | amount | ended by |
 * | H   | C      | C       | vint   | C      | C        |
 * +-----+--------+---------+--------+--------+----------+
 * </pre>
 *
 * The node is the owner of the start. H is a clock: owner (vint), the first entry (i64), and by how
 * much each other one is behind it (i32 with the flag NARROW, else i64). C are characters behind
 * their number, of which the lowest bit is 1 if each has two bytes: JSON may hold halves of pairs,
 * which UTF-8 loses. In a file that does not outlive the process, hence without a version.
 *
 * @param rank decides between candidates of a node with one own start
 * @param endedBy the version that ended the interval, where that is needed; else empty
 */
record Entry(String binding, long rank, Candidate candidate, String endedBy) {
  private static final byte[] NO_PAYLOAD = new byte[0];
  private static final int VARINTS = 14;
  private static final int VARINT_BYTES_MAX = 10;
  private static final int END = 1;
  private static final int NARROW = 1 << 1;
  private static final int MEMBER = 1 << 2;
  private static final int VERSION = 1 << 3;
  private static final int ORIGIN = 1 << 4;
  private static final int AMOUNT = 1 << 5;
  private static final int ENDED_BY = 1 << 6;

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
        + 2 * Long.BYTES * start().nodes();
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
    String amount = amount();
    boolean narrow = isNarrow(start()) && (end == null || isNarrow(end));
    writeText(out, binding);
    out.put(
        (byte)
            ((end == null ? 0 : END)
                | (narrow ? NARROW : 0)
                | (candidate.member().isEmpty() ? 0 : MEMBER)
                | (candidate.version().isEmpty() ? 0 : VERSION)
                | (origin == null ? 0 : ORIGIN)
                | (amount.isEmpty() ? 0 : AMOUNT)
                | (endedBy.isEmpty() ? 0 : ENDED_BY)));
    writeVarint(out, rank);
    writeVarint(out, candidate.clause());
    writeVarint(out, candidate.term());
    writeVarint(out, candidate.id().sequence());
    writeVarint(out, start().nodes());
    writeClock(out, start(), narrow);
    if (end != null) {
      writeClock(out, end, narrow);
    }
    writeIfAny(out, candidate.member());
    writeIfAny(out, candidate.version());
    if (origin != null) {
      writeVarint(out, origin);
    }
    writeIfAny(out, amount);
    writeIfAny(out, endedBy);
  }

  /** {@code known} is what the binding may be: then it is that object. */
  static Entry read(ByteBuffer in, String known) {
    String binding = readText(in, known);
    int flags = in.get();
    boolean narrow = (flags & NARROW) != 0;
    long rank = readVarint(in);
    int clause = (int) readVarint(in);
    int term = (int) readVarint(in);
    long sequence = readVarint(in);
    int nodes = (int) readVarint(in);
    Hvc start = readClock(in, nodes, narrow);
    Interval interval =
        new Interval(start, (flags & END) == 0 ? null : readClock(in, nodes, narrow));
    String member = (flags & MEMBER) == 0 ? "" : readText(in, "");
    String version = (flags & VERSION) == 0 ? "" : readText(in, "");
    @Nullable Integer origin = (flags & ORIGIN) == 0 ? null : Integer.valueOf((int) readVarint(in));
    @Nullable BigDecimal amount = (flags & AMOUNT) == 0 ? null : new BigDecimal(readText(in, ""));
    return new Entry(
        binding,
        rank,
        new Candidate(
            clause,
            term,
            new CandidateId(start.owner(), 0, sequence),
            interval,
            version,
            origin,
            amount,
            null,
            member,
            NO_PAYLOAD),
        (flags & ENDED_BY) == 0 ? "" : readText(in, ""));
  }

  /** Whether each entry is near enough to the first one for 32 bits. */
  private static boolean isNarrow(Hvc clock) {
    boolean narrow = true;
    for (int node = 1; node < clock.nodes(); node++) {
      long behind = clock.get(0) - clock.get(node);
      narrow &= behind == (int) behind;
    }
    return narrow;
  }

  private static void writeClock(ByteBuffer out, Hvc clock, boolean narrow) {
    long first = clock.get(0);
    writeVarint(out, clock.owner());
    out.putLong(first);
    for (int node = 1; node < clock.nodes(); node++) {
      long behind = first - clock.get(node);
      if (narrow) {
        out.putInt((int) behind);
      } else {
        out.putLong(behind);
      }
    }
  }

  private static Hvc readClock(ByteBuffer in, int nodes, boolean narrow) {
    int owner = (int) readVarint(in);
    long[] entries = new long[nodes];
    entries[0] = in.getLong();
    for (int node = 1; node < nodes; node++) {
      entries[node] = entries[0] - (narrow ? in.getInt() : in.getLong());
    }
    return Hvc.of(owner, entries);
  }

  private static void writeIfAny(ByteBuffer out, String text) {
    if (!text.isEmpty()) {
      writeText(out, text);
    }
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
