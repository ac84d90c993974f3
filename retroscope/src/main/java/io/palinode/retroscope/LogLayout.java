package io.palinode.retroscope;

import io.palinode.retroscope.segment.Segment;
import java.nio.ByteBuffer;
import java.util.function.IntFunction;

/**
 * Where entries lie.
 *
 * @param generationBytes after so many bytes the keys get new numbers; 0: keys have no numbers
 */
record LogLayout(int segmentBytes, long generationBytes, IntFunction<ByteBuffer> memory) {
  static final int SEGMENT_BYTES = 256 << 10;

  /** Below so many segments, numbers are not worth the memory that the keys would hold. */
  private static final int SEGMENTS_MIN_TO_INTERN = 16;

  boolean interns() {
    return generationBytes > 0;
  }

  /**
   * How much of a segment is appended to. What is to be rewritten is better little: keys without a
   * number make a diff slow, and it stays in the processor's cache.
   */
  int appendBytes() {
    return interns() ? segmentBytes / 4 : segmentBytes;
  }

  LogLayout {
    if (segmentBytes < 64 || segmentBytes > Segment.BYTES_MAX) {
      throw new IllegalArgumentException(
          "segmentBytes must be in [64, " + Segment.BYTES_MAX + "]: segmentBytes=" + segmentBytes);
    }
  }

  static LogLayout of(WindowLogConfig config) {
    boolean interns = config.bytesMax() >= (long) SEGMENTS_MIN_TO_INTERN * SEGMENT_BYTES;
    return new LogLayout(
        SEGMENT_BYTES, interns ? config.bytesMax() : 0, ByteBuffer::allocateDirect);
  }
}
