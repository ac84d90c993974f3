package io.palinode.retroscope;

import io.palinode.retroscope.disklog.DiskLog;
import io.palinode.retroscope.segment.Cursor;
import io.palinode.retroscope.segment.Segment;
import io.palinode.retroscope.segment.Segment.Part;
import java.util.List;

/** Parts of a window-log that are kept until the log unpins them. */
record Pinned(List<Part> parts, List<Segment> memory, DiskLog.Pinned disk) {
  /** Visits each change in {@code (start, end]}, in order. */
  void forEach(long start, long end, WindowLog.ChangeVisitor visitor) {
    Cursor entry = new Cursor();
    for (Part part : parts) {
      long after = Math.max(start, part.after());
      long upTo = Math.min(end, part.upTo());
      entry.open(part, after);
      while (entry.next() && entry.hlc() <= upTo) {
        if (entry.hlc() > after) {
          visitor.visit(entry.hlc(), entry.copyKey(), entry.copyOld());
        }
      }
    }
  }
}
