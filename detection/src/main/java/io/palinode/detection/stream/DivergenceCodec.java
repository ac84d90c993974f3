package io.palinode.detection.stream;

import io.palinode.detection.Candidate;
import io.palinode.detection.CandidateId;
import io.palinode.detection.ReplicaState;
import io.palinode.hvc.Hvc;
import io.palinode.hvc.HvcCodec;
import io.palinode.hvc.Interval;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The bytes of a {@link DivergenceDetector}'s state.
 *
 * <pre>
 * state    := | version u8 = 65 | progress i64 | too early i64
 *             | count i32 | variable × count | count i32 | waiting × count |
 * variable := | name, sized | replicas | reported | are apart u8
 *             | apart i64 × replicas², if are apart | shown × replicas |
 * reported := | u8: 0 no, 1 by an earlier release | or
 *             | u8: 2 | count u16 | node u16, incarnation i64, sequence i64 × count |
 * shown    := | u8: 0 unknown | or
 *             | u8: 1, or 2 when it carries what the first one with its digest does | state |
 * waiting  := | name, sized | replicas | u8 = 1 | state |
 * replicas := | count u16 | node u16 × count |
 * state    := | incarnation i64 | sequence i64 | digest i64 | start HVC, sized
 *             | payload, sized; not with 2 |
 * sized    := | length i32 | that many bytes |
 * </pre>
 *
 * Integers are big-endian, names in UTF-8, HVCs in the form of {@link HvcCodec}. The version's
 * number is none of {@link DetectorCodec}'s. Pure.
 */
final class DivergenceCodec {
  private static final int VERSION = 65;
  private static final int UNKNOWN = 0;
  private static final int OWN = 1;
  private static final int SHARED = 2;
  private static final int NOT_REPORTED = 0;
  private static final int REPORTED_EARLIER = 1;
  private static final int REPORTED = 2;

  private DivergenceCodec() {}

  /** What a detector is made of. */
  record State(long progress, long tooEarly, List<Replicas> variables, List<Candidate> waiting) {}

  static byte[] encode(State state) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (DataOutputStream out = new DataOutputStream(bytes)) {
      out.writeByte(VERSION);
      out.writeLong(state.progress());
      out.writeLong(state.tooEarly());
      out.writeInt(state.variables().size());
      for (Replicas replicas : state.variables()) {
        write(replicas, out);
      }
      out.writeInt(state.waiting().size());
      for (Candidate candidate : state.waiting()) {
        ReplicaState shown = stateOf(candidate);
        writeSized(shown.variable().getBytes(StandardCharsets.UTF_8), out);
        writeNodes(shown.replicas(), out);
        out.writeByte(OWN);
        write(candidate, out);
        writeSized(candidate.payload(), out);
      }
    } catch (IOException e) {
      throw new UncheckedIOException("bytes in memory must be writable", e);
    }
    return bytes.toByteArray();
  }

  private static void write(Replicas replicas, DataOutputStream out) throws IOException {
    writeSized(replicas.name().getBytes(StandardCharsets.UTF_8), out);
    writeNodes(replicas.nodes(), out);
    write(replicas.report(), out);
    int count = replicas.nodes().size();
    boolean areApart = false;
    for (int place = 0; place < count * count; place++) {
      areApart |= replicas.apart(place / count, place % count) != Replicas.NEVER;
    }
    out.writeBoolean(areApart);
    for (int place = 0; areApart && place < count * count; place++) {
      out.writeLong(replicas.apart(place / count, place % count));
    }
    for (int at = 0; at < count; at++) {
      writeShown(replicas, at, out);
    }
  }

  private static void write(Replicas.@Nullable Report report, DataOutputStream out)
      throws IOException {
    if (report == null || report.witnesses().isEmpty()) {
      out.writeByte(report == null ? NOT_REPORTED : REPORTED_EARLIER);
      return;
    }
    out.writeByte(REPORTED);
    out.writeShort(report.witnesses().size());
    for (CandidateId witness : report.witnesses()) {
      out.writeShort(witness.node());
      out.writeLong(witness.incarnation());
      out.writeLong(witness.sequence());
    }
  }

  private static void writeShown(Replicas replicas, int at, DataOutputStream out)
      throws IOException {
    Candidate candidate = replicas.shownAt(at);
    if (candidate == null) {
      out.writeByte(UNKNOWN);
      return;
    }
    Candidate first = firstAlike(replicas, at, candidate);
    boolean shared = first != null && Arrays.equals(first.payload(), candidate.payload());
    out.writeByte(shared ? SHARED : OWN);
    write(candidate, out);
    if (!shared) {
      writeSized(candidate.payload(), out);
    }
  }

  private static @Nullable Candidate firstAlike(Replicas replicas, int before, Candidate like) {
    for (int at = 0; at < before; at++) {
      Candidate other = replicas.shownAt(at);
      if (other != null && stateOf(other).digest() == stateOf(like).digest()) {
        return other;
      }
    }
    return null;
  }

  private static void write(Candidate candidate, DataOutputStream out) throws IOException {
    out.writeLong(candidate.id().incarnation());
    out.writeLong(candidate.id().sequence());
    out.writeLong(stateOf(candidate).digest());
    writeSized(HvcCodec.encode(candidate.interval().start()), out);
  }

  private static ReplicaState stateOf(Candidate candidate) {
    ReplicaState state = candidate.state();
    if (state == null) {
      throw new IllegalStateException("only states are kept here: " + candidate.id());
    }
    return state;
  }

  private static void writeNodes(List<Integer> nodes, DataOutputStream out) throws IOException {
    out.writeShort(nodes.size());
    for (int node : nodes) {
      out.writeShort(node);
    }
  }

  private static void writeSized(byte[] bytes, DataOutputStream out) throws IOException {
    out.writeInt(bytes.length);
    out.write(bytes);
  }

  /** Throws {@link IllegalArgumentException} for bytes that {@link #encode} did not make. */
  static State decode(byte[] bytes) {
    try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes))) {
      int version = in.readUnsignedByte();
      if (version != VERSION) {
        throw new IllegalArgumentException(
            "the state of replicas must be of version " + VERSION + ": version=" + version);
      }
      long progress = in.readLong();
      long tooEarly = in.readLong();
      List<Replicas> variables = new ArrayList<>();
      for (int left = in.readInt(); left > 0; left--) {
        variables.add(readReplicas(in));
      }
      List<Candidate> waiting = new ArrayList<>();
      for (int left = in.readInt(); left > 0; left--) {
        String name = new String(readSized(in), StandardCharsets.UTF_8);
        Candidate state = readShown(name, readNodes(in), List.of(), in);
        if (state != null) {
          waiting.add(state);
        }
      }
      if (in.available() > 0) {
        throw new IllegalArgumentException("the state of replicas is too long: " + bytes.length);
      }
      return new State(progress, tooEarly, variables, waiting);
    } catch (EOFException e) {
      throw new IllegalArgumentException("the state of replicas is cut off: " + bytes.length, e);
    } catch (IOException e) {
      throw new UncheckedIOException("bytes in memory must be readable", e);
    }
  }

  private static Replicas readReplicas(DataInputStream in) throws IOException {
    String name = new String(readSized(in), StandardCharsets.UTF_8);
    List<Integer> nodes = readNodes(in);
    Replicas.Report report = readReport(in);
    boolean areApart = in.readBoolean();
    int count = nodes.size();
    long[][] apart = new long[count][count];
    for (int place = 0; place < count * count; place++) {
      apart[place / count][place % count] = areApart ? in.readLong() : Replicas.NEVER;
    }
    List<@Nullable Candidate> shown = new ArrayList<>();
    for (int at = 0; at < count; at++) {
      shown.add(readShown(name, nodes, shown, in));
    }
    return Replicas.of(name, nodes, shown, apart, report);
  }

  private static Replicas.@Nullable Report readReport(DataInputStream in) throws IOException {
    int reported = in.readUnsignedByte();
    List<CandidateId> witnesses = new ArrayList<>();
    for (int left = reported == REPORTED ? in.readUnsignedShort() : 0; left > 0; left--) {
      witnesses.add(new CandidateId(in.readUnsignedShort(), in.readLong(), in.readLong()));
    }
    return reported == NOT_REPORTED ? null : new Replicas.Report(witnesses);
  }

  private static @Nullable Candidate readShown(
      String name, List<Integer> nodes, List<@Nullable Candidate> before, DataInputStream in)
      throws IOException {
    int kind = in.readUnsignedByte();
    if (kind == UNKNOWN) {
      return null;
    }
    long incarnation = in.readLong();
    long sequence = in.readLong();
    ReplicaState state = new ReplicaState(name, in.readLong(), nodes);
    Hvc start = HvcCodec.decode(readSized(in));
    byte[] payload = kind == OWN ? readSized(in) : payloadOf(state.digest(), before);
    CandidateId id = new CandidateId(start.owner(), incarnation, sequence);
    return Candidate.ofState(id, new Interval(start, null), state, payload);
  }

  private static byte[] payloadOf(long digest, List<@Nullable Candidate> before) {
    for (Candidate candidate : before) {
      if (candidate != null && stateOf(candidate).digest() == digest) {
        return candidate.payload();
      }
    }
    throw new IllegalArgumentException("what a replica carries must be said before it is shared");
  }

  private static List<Integer> readNodes(DataInputStream in) throws IOException {
    List<Integer> nodes = new ArrayList<>();
    for (int left = in.readUnsignedShort(); left > 0; left--) {
      nodes.add(in.readUnsignedShort());
    }
    return nodes;
  }

  private static byte[] readSized(DataInputStream in) throws IOException {
    int length = in.readInt();
    if (length < 0 || length > in.available()) {
      throw new EOFException("length=" + length);
    }
    return in.readNBytes(length);
  }
}
