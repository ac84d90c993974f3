package io.palinode.detection.stream;

import io.palinode.detection.Candidate;
import io.palinode.detection.DetectionSpec;
import io.palinode.detection.within.Deadlines;
import io.palinode.detection.within.Doubt;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * The bytes of a {@link WithinDetector}'s state.
 *
 * <pre>
 * state := | version u8 = 1 | nodes vint | progress vint | dropped vint | unjudged vint
 *          | node × nodes | count vint | candidate × count | count vint | doubt × count |
 * node  := | incarnation vint | unsure since vint |
 * doubt := | from vint | to vint | opens only u8: 0 or 1 |
 * </pre>
 *
 * {@code candidate} is that of {@link DetectorCodec}. Pure.
 */
final class WithinCodec {
  private static final int VERSION = 1;

  private WithinCodec() {}

  record State(Incarnations incarnations, Deadlines.State deadlines) {}

  static byte[] encode(State state, int nodes) {
    Deadlines.State deadlines = state.deadlines();
    DetectorCodec.Out out = new DetectorCodec.Out();
    out.u8(VERSION);
    out.vint(nodes);
    out.vint(deadlines.progress());
    out.vint(deadlines.dropped());
    out.vint(deadlines.unjudged());
    for (int node = 0; node < nodes; node++) {
      out.vint(state.incarnations().newest(node));
      out.vint(deadlines.unsureSince().get(node));
    }
    out.vint(deadlines.intervals().size());
    deadlines.intervals().forEach(out::candidate);
    out.vint(deadlines.doubts().size());
    for (Doubt doubt : deadlines.doubts()) {
      out.vint(doubt.from());
      out.vint(doubt.to());
      out.u8(doubt.opensOnly() ? 1 : 0);
    }
    return out.toByteArray();
  }

  /**
   * Throws {@link IllegalArgumentException} for bytes that {@link #encode} did not make, and for
   * those of a detector of another predicate or cluster.
   */
  static State decode(DetectionSpec spec, byte[] bytes) {
    DetectorCodec.In in = new DetectorCodec.In(spec, ByteBuffer.wrap(bytes));
    try {
      int version = in.u8();
      int nodes = in.count();
      if (version != VERSION || nodes != spec.nodes()) {
        throw new IllegalArgumentException(
            "the state of a clause with within must be of version %d and %d nodes: version=%d nodes=%d"
                .formatted(VERSION, spec.nodes(), version, nodes));
      }
      State state = state(nodes, in);
      in.requireEnd();
      return state;
    } catch (BufferUnderflowException e) {
      throw new IllegalArgumentException("a detector's state is cut off: bytes=" + bytes.length, e);
    }
  }

  private static State state(int nodes, DetectorCodec.In in) {
    long progress = in.vint();
    long dropped = in.vint();
    long unjudged = in.vint();
    Incarnations incarnations = new Incarnations(nodes);
    List<Long> unsureSince = new ArrayList<>();
    for (int node = 0; node < nodes; node++) {
      incarnations.restore(node, in.vint());
      unsureSince.add(in.vint());
    }
    List<Candidate> intervals = new ArrayList<>();
    for (int left = in.count(); left > 0; left--) {
      intervals.add(in.candidate());
    }
    List<Doubt> doubts = new ArrayList<>();
    for (int left = in.count(); left > 0; left--) {
      doubts.add(new Doubt(in.vint(), in.vint(), in.u8() == 1));
    }
    return new State(
        incarnations,
        new Deadlines.State(progress, dropped, unjudged, intervals, unsureSince, doubts));
  }
}
