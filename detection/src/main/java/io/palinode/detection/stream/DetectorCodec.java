package io.palinode.detection.stream;

import io.palinode.detection.Candidate;
import io.palinode.detection.CandidateId;
import io.palinode.detection.DetectionSpec;
import io.palinode.detection.FirstReplica;
import io.palinode.detection.search.Finding;
import io.palinode.detection.search.Retained;
import io.palinode.hvc.Grade;
import io.palinode.hvc.Hvc;
import io.palinode.hvc.HvcCodec;
import io.palinode.hvc.Interval;
import io.palinode.predicate.template.Decimal;
import java.io.ByteArrayOutputStream;
import java.math.BigDecimal;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * The bytes of a detector's state.
 *
 * <pre>
 * state     := | version u8 = 4 | nodes vint | progress vint | overflowed vint | node × nodes
 *              | count vint | retained × count | count vint | rising × count
 *              | count vint | end × count | count vint | candidate × count
 *              | count vint | holding × count, not in version 3 |
 * node      := | incarnation vint | latest HVC, bytes; empty: none received |
 * retained  := | candidate | named vint × 3: uncertain, possible, definite |
 * rising    := | clause vint | grade u8: 1 uncertain, 2 possible, 3 definite
 *              | count vint | index of a retained one vint × count |
 * holding  := | rising |
 * end       := | clause vint | term vint | member, bytes, if the clause has distinct
 *              | version, bytes | HVC, bytes |
 * candidate := | flags u8 | clause vint | term vint | node vint | incarnation vint | sequence vint
 *              | start HVC, bytes | end HVC, bytes, if flag 1 | version, bytes | origin vint, if flag 2
 *              | amount, bytes, if flag 4 | member, bytes, if flag 8 | payload, bytes |
 * bytes     := | length vint | that many |
 * </pre>
 *
 * {@code named} for a grade is 0 when no report of at least the grade has named the interval; else
 * 1 + the least {@code violate} of those that have − the interval's own start. HVCs are in the form
 * of {@link HvcCodec}, versions and members in UTF-8, amounts as the text of a decimal. What else a
 * detector knows follows from these. Pure; O(retained · nodes).
 */
final class DetectorCodec {
  private static final int VERSION = 4;
  private static final int WITHOUT_HOLDING = 3;
  private static final int HAS_END = 1;
  private static final int HAS_ORIGIN = 2;
  private static final int HAS_AMOUNT = 4;
  private static final int HAS_MEMBER = 8;
  private static final List<Grade> GRADES =
      List.of(Grade.UNCERTAIN, Grade.POSSIBLE, Grade.DEFINITE);

  private DetectorCodec() {}

  static byte[] encode(DetectorState state) {
    Out out = new Out();
    out.bytes.write(VERSION);
    out.vint(state.nodes().size());
    out.vint(state.progress());
    out.vint(state.overflowed());
    for (DetectorState.LatestOfNode latest : state.nodes()) {
      out.vint(latest.incarnation());
      out.sized(latest.clock() == null ? new byte[0] : HvcCodec.encode(latest.clock()));
    }
    out.vint(state.retained().size());
    for (Retained interval : state.retained()) {
      out.candidate(interval.candidate());
      out.named(interval);
    }
    IdentityHashMap<Retained, Integer> indexes = new IdentityHashMap<>();
    state.retained().forEach(interval -> indexes.put(interval, indexes.size()));
    out.reports(indexes, state.rising());
    Map<FirstReplica.Key, Hvc> ends = state.replicas().ends();
    out.vint(ends.size());
    ends.forEach(out::end);
    Collection<Candidate> found = state.replicas().found().values();
    out.vint(found.size());
    found.forEach(out::candidate);
    out.reports(indexes, state.holding());
    return out.bytes.toByteArray();
  }

  /**
   * Throws {@link IllegalArgumentException} for bytes that {@link #encode} did not make, and for
   * those of a detector of another predicate or cluster.
   */
  static DetectorState decode(DetectionSpec spec, byte[] bytes) {
    In in = new In(spec, ByteBuffer.wrap(bytes));
    try {
      byte version = in.bytes.get();
      if (version != VERSION && version != WITHOUT_HOLDING) {
        throw new IllegalArgumentException(
            "a detector's state must be of version "
                + WITHOUT_HOLDING
                + " or "
                + VERSION
                + ", and no other can be converted: version="
                + version);
      }
      DetectorState state = in.state(version == VERSION);
      in.requireEnd();
      return state;
    } catch (BufferUnderflowException e) {
      throw new IllegalArgumentException("a detector's state is cut off: bytes=" + bytes.length, e);
    }
  }

  /** Writes the parts of a state. */
  static final class Out {
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

    void u8(int value) {
      bytes.write(value);
    }

    byte[] toByteArray() {
      return bytes.toByteArray();
    }

    void vint(long value) {
      long rest = value;
      while ((rest & ~0x7FL) != 0) {
        bytes.write((int) ((rest & 0x7F) | 0x80));
        rest >>>= 7;
      }
      bytes.write((int) rest);
    }

    void sized(byte[] value) {
      vint(value.length);
      bytes.writeBytes(value);
    }

    void candidate(Candidate candidate) {
      Hvc end = candidate.interval().end();
      Integer origin = candidate.origin();
      BigDecimal amount = candidate.amount();
      bytes.write(
          (end == null ? 0 : HAS_END)
              | (origin == null ? 0 : HAS_ORIGIN)
              | (amount == null ? 0 : HAS_AMOUNT)
              | (candidate.member().isEmpty() ? 0 : HAS_MEMBER));
      vint(candidate.clause());
      vint(candidate.term());
      vint(candidate.id().node());
      vint(candidate.id().incarnation());
      vint(candidate.id().sequence());
      sized(HvcCodec.encode(candidate.interval().start()));
      if (end != null) {
        sized(HvcCodec.encode(end));
      }
      sized(candidate.version().getBytes(StandardCharsets.UTF_8));
      if (origin != null) {
        vint(origin);
      }
      if (amount != null) {
        sized(amount.toString().getBytes(StandardCharsets.UTF_8));
      }
      if (!candidate.member().isEmpty()) {
        sized(candidate.member().getBytes(StandardCharsets.UTF_8));
      }
      sized(candidate.payload());
    }

    void named(Retained interval) {
      for (Grade grade : GRADES) {
        boolean named = interval.isNamed(grade);
        vint(named ? 1 + interval.earliest(grade) - interval.startOwn() : 0);
      }
    }

    void reports(Map<Retained, Integer> indexes, List<Finding> reports) {
      vint(reports.size());
      for (Finding finding : reports) {
        vint(finding.clause());
        bytes.write(1 + GRADES.indexOf(finding.grade()));
        vint(finding.intervals().size());
        for (Retained interval : finding.intervals()) {
          vint(
              Objects.requireNonNull(
                  indexes.get(interval), "a kept report's interval is retained"));
        }
      }
    }

    void end(FirstReplica.Key key, Hvc end) {
      vint(key.clause());
      vint(key.term());
      if (!key.member().isEmpty()) {
        sized(key.member().getBytes(StandardCharsets.UTF_8));
      }
      sized(key.version().getBytes(StandardCharsets.UTF_8));
      sized(HvcCodec.encode(end));
    }
  }

  /** Reads the parts of a state. */
  static final class In {
    private final DetectionSpec spec;
    private final ByteBuffer bytes;

    In(DetectionSpec spec, ByteBuffer bytes) {
      this.spec = spec;
      this.bytes = bytes;
    }

    int u8() {
      return bytes.get() & 0xFF;
    }

    void requireEnd() {
      if (bytes.hasRemaining()) {
        throw new IllegalArgumentException(
            "a detector's state must end with what was found: extra bytes=" + bytes.remaining());
      }
    }

    DetectorState state(boolean hasHolding) {
      int nodes = count();
      if (nodes != spec.nodes()) {
        throw new IllegalArgumentException(
            "a detector's state is of a cluster of " + nodes + " nodes: nodes=" + spec.nodes());
      }
      long progress = vint();
      long overflowed = vint();
      List<DetectorState.LatestOfNode> latest = new ArrayList<>();
      for (int node = 0; node < nodes; node++) {
        long incarnation = vint();
        byte[] hvc = sized();
        latest.add(
            new DetectorState.LatestOfNode(
                incarnation, hvc.length == 0 ? null : HvcCodec.decode(hvc)));
      }
      List<Retained> retained = new ArrayList<>();
      for (int left = count(); left > 0; left--) {
        retained.add(retained());
      }
      List<Finding> rising = reports(retained);
      FirstReplica replicas = replicas();
      List<Finding> holding = hasHolding ? reports(retained) : List.of();
      return new DetectorState(progress, overflowed, latest, retained, rising, replicas, holding);
    }

    private Retained retained() {
      Candidate candidate = candidate();
      Retained interval = new Retained(candidate, spec.countsFrom(candidate));
      for (Grade grade : GRADES) {
        long named = vint();
        if (named < 0) {
          throw new IllegalArgumentException("a violation begins with an interval: " + interval);
        }
        if (named > 0) {
          interval.name(grade, interval.startOwn() + named - 1);
        }
      }
      return interval;
    }

    private List<Finding> reports(List<Retained> retained) {
      List<Finding> reports = new ArrayList<>();
      for (int left = count(); left > 0; left--) {
        int clause = below(spec.clauses().size());
        Grade grade = grade();
        List<Retained> intervals = new ArrayList<>();
        for (int size = below(spec.clauses().get(clause).intervalsMax() + 1); size > 0; size--) {
          intervals.add(retained.get(below(retained.size())));
        }
        reports.add(new Finding(clause, intervals, grade));
      }
      return reports;
    }

    private Grade grade() {
      int grade = bytes.get();
      if (grade < 1 || grade > GRADES.size()) {
        throw new IllegalArgumentException("a grade in a detector's state is unknown: " + grade);
      }
      return GRADES.get(grade - 1);
    }

    private FirstReplica replicas() {
      FirstReplica replicas = new FirstReplica();
      for (int left = count(); left > 0; left--) {
        int clause = below(spec.clauses().size());
        int term = count();
        String member = spec.clauses().get(clause).isDistinct() ? text() : "";
        FirstReplica.Key key = new FirstReplica.Key(clause, term, member, text());
        replicas.end(key, HvcCodec.decode(sized()));
      }
      for (int left = count(); left > 0; left--) {
        replicas.find(candidate());
      }
      return replicas;
    }

    Candidate candidate() {
      int flags = bytes.get();
      int clause = count();
      int term = count();
      CandidateId id = new CandidateId(count(), vint(), vint());
      Hvc start = HvcCodec.decode(sized());
      Hvc end = (flags & HAS_END) == 0 ? null : HvcCodec.decode(sized());
      String version = text();
      Integer origin = (flags & HAS_ORIGIN) == 0 ? null : Integer.valueOf(count());
      BigDecimal amount = (flags & HAS_AMOUNT) == 0 ? null : amount();
      String member = (flags & HAS_MEMBER) == 0 ? "" : text();
      Candidate candidate =
          new Candidate(
              clause,
              term,
              id,
              new Interval(start, end),
              version,
              origin,
              amount,
              null,
              member,
              sized());
      spec.require(candidate);
      return candidate;
    }

    private BigDecimal amount() {
      Decimal amount = Decimal.read(text());
      if (amount == null) {
        throw new IllegalArgumentException("an amount in a detector's state must be a decimal");
      }
      return amount.value();
    }

    String text() {
      return new String(sized(), StandardCharsets.UTF_8);
    }

    byte[] sized() {
      int length = count();
      if (length > bytes.remaining()) {
        throw new BufferUnderflowException();
      }
      byte[] value = new byte[length];
      bytes.get(value);
      return value;
    }

    private int below(int bound) {
      int index = count();
      if (index >= bound) {
        throw new IllegalArgumentException(
            "an index in a detector's state must be below " + bound + ": index=" + index);
      }
      return index;
    }

    int count() {
      long value = vint();
      if (value < 0 || value > Integer.MAX_VALUE) {
        throw new IllegalArgumentException("a count in a detector's state is too large: " + value);
      }
      return (int) value;
    }

    long vint() {
      long value = 0;
      for (int shift = 0; shift < 64; shift += 7) {
        byte next = bytes.get();
        value |= (long) (next & 0x7F) << shift;
        if (next >= 0) {
          return value;
        }
      }
      throw new IllegalArgumentException("a varint has at most 10 bytes");
    }
  }
}
