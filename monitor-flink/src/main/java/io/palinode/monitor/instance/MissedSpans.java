package io.palinode.monitor.instance;

import io.palinode.detection.DetectionSpec;
import io.palinode.hvc.Hlc;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * The latest coverage gaps of one node on one partition, the oldest first. Of more than {@link
 * #SPANS_MAX} the two oldest become one. Immutable. As bytes:
 *
 * <pre>
 * +--------+----------+--------+-----------+-----
 * | u8 = 1 | from i64 | to i64 | until i64 | ...
 * +--------+----------+--------+-----------+-----
 * </pre>
 */
public record MissedSpans(List<Span> spans) {
  public static final MissedSpans NONE = new MissedSpans(List.of());

  static final int SPANS_MAX = 16;

  private static final byte VERSION = 1;

  /** The node has not published since what holds there. */
  private static final long NOT_YET = Long.MAX_VALUE;

  /**
   * Events between two HLCs may be missing.
   *
   * @param to {@link Long#MAX_VALUE}: until the node publishes what holds there
   * @param until by then the node had published all that held there
   */
  record Span(long from, long to, long until) {
    Span with(Span later) {
      return new Span(
          Math.min(from, later.from), Math.max(to, later.to), Math.max(until, later.until));
    }

    Span published(long hlc) {
      return new Span(from, to == NOT_YET ? hlc : to, hlc);
    }

    boolean reaches(long hlc) {
      return Math.max(to, until) >= hlc;
    }
  }

  public MissedSpans {
    spans = List.copyOf(spans);
  }

  /**
   * With one more.
   *
   * @param to 0: not known yet
   */
  public MissedSpans missed(long from, long to) {
    List<Span> more = new ArrayList<>(spans);
    more.add(new Span(from, to == 0 ? NOT_YET : to, NOT_YET));
    if (more.size() > SPANS_MAX) {
      more.set(0, more.get(0).with(more.remove(1)));
    }
    return new MissedSpans(more);
  }

  /** The node has published all that holds at {@code hlc}. */
  public MissedSpans published(long hlc) {
    return new MissedSpans(
        spans.stream().map(span -> span.until == NOT_YET ? span.published(hlc) : span).toList());
  }

  /**
   * Passes those on that may matter to an instance of {@code within}. Repeats change nothing.
   *
   * @param hlc the least HLC of an event that was not applied
   */
  public void pass(int node, Instance instance, DetectionSpec spec, long hlc) {
    long longest = Hlc.ofMicros(spec.within().micros() + 2 * spec.causality().epsilon().micros());
    long since = Math.min(hlc, instance.wakeAt()) - longest;
    for (Span span : spans) {
      if (span.reaches(since)) {
        instance.missed(node, span.from, span.to, span.until);
      }
    }
  }

  public byte[] encode() {
    ByteBuffer bytes = ByteBuffer.allocate(1 + spans.size() * 3 * Long.BYTES).put(VERSION);
    for (Span span : spans) {
      bytes.putLong(span.from).putLong(span.to).putLong(span.until);
    }
    return bytes.array();
  }

  /** Throws {@link IllegalArgumentException} for bytes that {@link #encode} did not make. */
  public static MissedSpans decode(byte[] bytes) {
    ByteBuffer in = ByteBuffer.wrap(bytes);
    if (bytes.length % (3 * Long.BYTES) != 1 || in.get() != VERSION) {
      throw new IllegalArgumentException(
          "missed spans must be of version 1 and complete: bytes=" + bytes.length);
    }
    List<Span> spans = new ArrayList<>();
    while (in.hasRemaining()) {
      spans.add(new Span(in.getLong(), in.getLong(), in.getLong()));
    }
    return new MissedSpans(spans);
  }
}
