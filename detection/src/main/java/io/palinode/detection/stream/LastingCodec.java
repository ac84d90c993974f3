package io.palinode.detection.stream;

import io.palinode.detection.Candidate;
import io.palinode.detection.CandidateId;
import io.palinode.detection.DetectionSpec;
import io.palinode.hvc.Hvc;
import io.palinode.hvc.HvcCodec;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * The bytes of a {@link LastingDetector}'s state.
 *
 * <pre>
 * state   := | version u8 = 1 | nodes vint | progress vint | lost vint | incarnation vint × nodes
 *            | count vint | run × count | count vint | event × count | state of DetectorCodec, bytes |
 * run     := | candidate | counts u8: 0 or 1 | end HVC, bytes; empty: it is open
 *            | version that continues it, bytes | count vint | open interval × count |
 * open interval := | incarnation vint | sequence vint |
 * event   := | kind u8: 1 restart, 2 opening, 3 end | clock HVC, bytes
 *            | restart: node vint, incarnation vint; else: candidate, ended by, bytes |
 * </pre>
 *
 * {@code candidate}, {@code bytes} and HVCs are those of {@link DetectorCodec}. Runs are in the
 * order in which they began, events in that of their HLCs. Pure.
 */
final class LastingCodec {
  private static final int VERSION = 1;
  private static final int RESTART = 1;
  private static final int OPENING = 2;
  private static final int END = 3;

  private LastingCodec() {}

  static byte[] encode(int nodes, LastingDetector.State state) {
    DetectorCodec.Out out = new DetectorCodec.Out();
    out.u8(VERSION);
    out.vint(nodes);
    out.vint(state.progress());
    out.vint(state.lost());
    for (int node = 0; node < nodes; node++) {
      out.vint(state.incarnations().newest(node));
    }
    List<TermRuns.Run> runs = state.runs().all();
    out.vint(runs.size());
    runs.forEach(run -> encode(run, out));
    out.vint(state.waiting().size());
    state.waiting().all().forEach(event -> encode(event, out));
    out.sized(state.counted());
    return out.toByteArray();
  }

  private static void encode(TermRuns.Run run, DetectorCodec.Out out) {
    Hvc end = run.end();
    out.candidate(run.first());
    out.u8(run.counts() ? 1 : 0);
    out.sized(end == null ? new byte[0] : HvcCodec.encode(end));
    out.sized(run.continuedBy().getBytes(StandardCharsets.UTF_8));
    out.vint(run.open().size());
    for (CandidateId id : run.open()) {
      out.vint(id.incarnation());
      out.vint(id.sequence());
    }
  }

  private static void encode(WaitingEvents.Event event, DetectorCodec.Out out) {
    Candidate candidate = event.candidate();
    out.u8(candidate == null ? RESTART : candidate.interval().isOpen() ? OPENING : END);
    out.sized(HvcCodec.encode(event.clock()));
    if (candidate == null) {
      out.vint(event.id().node());
      out.vint(event.id().incarnation());
    } else {
      out.candidate(candidate);
      out.sized(event.endedBy().getBytes(StandardCharsets.UTF_8));
    }
  }

  /**
   * Throws {@link IllegalArgumentException} for bytes that {@link #encode} did not make, and for
   * those of a detector of another predicate or cluster.
   */
  static LastingDetector.State decode(DetectionSpec spec, byte[] bytes) {
    DetectorCodec.In in = new DetectorCodec.In(spec, ByteBuffer.wrap(bytes));
    try {
      int version = in.u8();
      int nodes = in.count();
      if (version != VERSION || nodes != spec.nodes()) {
        throw new IllegalArgumentException(
            "the state of a clause with 'for' must be of version %d and %d nodes: version=%d nodes=%d"
                .formatted(VERSION, spec.nodes(), version, nodes));
      }
      LastingDetector.State state = state(spec, in);
      in.requireEnd();
      return state;
    } catch (BufferUnderflowException e) {
      throw new IllegalArgumentException("a detector's state is cut off: bytes=" + bytes.length, e);
    }
  }

  private static LastingDetector.State state(DetectionSpec spec, DetectorCodec.In in) {
    long progress = in.vint();
    long lost = in.vint();
    Incarnations incarnations = new Incarnations(spec.nodes());
    for (int node = 0; node < spec.nodes(); node++) {
      incarnations.restore(node, in.vint());
    }
    TermRuns runs = new TermRuns(spec);
    for (int left = in.count(); left > 0; left--) {
      run(runs, in);
    }
    WaitingEvents waiting = new WaitingEvents();
    for (int left = in.count(); left > 0; left--) {
      event(waiting, in);
    }
    return new LastingDetector.State(progress, lost, incarnations, runs, waiting, in.sized());
  }

  private static void run(TermRuns runs, DetectorCodec.In in) {
    Candidate first = in.candidate();
    boolean counts = in.u8() == 1;
    byte[] end = in.sized();
    String continuedBy = in.text();
    List<CandidateId> open = new ArrayList<>();
    for (int left = in.count(); left > 0; left--) {
      open.add(new CandidateId(first.id().node(), in.vint(), in.vint()));
    }
    runs.restore(first, counts)
        .restore(open, end.length == 0 ? null : HvcCodec.decode(end), continuedBy, counts);
  }

  private static void event(WaitingEvents waiting, DetectorCodec.In in) {
    int kind = in.u8();
    Hvc clock = HvcCodec.decode(in.sized());
    if (kind == RESTART) {
      waiting.add(new CandidateId(in.count(), in.vint(), 0), null, "", clock);
    } else {
      Candidate candidate = in.candidate();
      waiting.add(candidate.id(), candidate, in.text(), clock);
    }
  }
}
