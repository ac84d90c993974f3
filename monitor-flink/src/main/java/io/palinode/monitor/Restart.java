package io.palinode.monitor;

import io.palinode.hvc.Hvc;
import io.palinode.hvc.HvcCodec;

/** A node began an incarnation. {@code first} is the first clock received from it. */
public record Restart(int node, long incarnation, Hvc first) {
  public static Restart of(Notice notice) {
    return new Restart(
        notice.sender().channel().node(),
        notice.sender().incarnation(),
        HvcCodec.decode(notice.body()));
  }

  /** Returns whether all records of the earlier incarnations have arrived at this watermark. */
  public boolean isPassed(long watermark) {
    return first.own() <= watermark;
  }
}
