package io.palinode.monitor;

import io.palinode.hvc.Hvc;
import io.palinode.hvc.HvcCodec;

/** A node began an incarnation, and {@code first} is the first that was heard of it there. */
public record Restart(int node, long incarnation, Hvc first) {
  public static Restart of(Notice notice) {
    return new Restart(notice.node(), notice.incarnation(), HvcCodec.decode(notice.body()));
  }

  /** Whether everything that the node said before has arrived, at this watermark. */
  public boolean isPassed(long watermark) {
    return first.own() <= watermark;
  }
}
