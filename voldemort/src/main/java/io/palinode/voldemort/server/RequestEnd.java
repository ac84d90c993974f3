package io.palinode.voldemort.server;

import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.TooLongFrameException;
import io.palinode.voldemort.protocol.Frames;
import io.palinode.voldemort.vp.RequestScan;
import io.palinode.voldemort.vp.VpVersion;

/** Finds where the requests of one connection end. Not thread-safe. */
interface RequestEnd {
  /** Bytes before each request. */
  int headerBytes();

  /**
   * The length of the next request and its header, which begin {@code in}; -1 while bytes are
   * missing. Throws an unchecked exception for bytes that begin no request, and for a request that
   * is too long.
   */
  int length(ByteBuf in);

  /** At most so long are the incomplete request and its header. */
  int lengthMax();

  /** The request is complete: another one begins. */
  void next();

  /** The end of messages with a length before each ({@link Frames}). */
  final class OfPb0 implements RequestEnd {
    private int lengthMax = Integer.BYTES;

    @Override
    public int headerBytes() {
      return Integer.BYTES;
    }

    @Override
    public int length(ByteBuf in) {
      if (in.readableBytes() < Integer.BYTES) {
        return -1;
      }
      int bytes = in.getInt(in.readerIndex());
      if (bytes < 0 || bytes > Frames.MESSAGE_BYTES_MAX) {
        throw new TooLongFrameException(
            "a request must have 0 to %d bytes: bytes=%d"
                .formatted(Frames.MESSAGE_BYTES_MAX, bytes));
      }
      lengthMax = Integer.BYTES + bytes;
      return in.readableBytes() < lengthMax ? -1 : lengthMax;
    }

    @Override
    public int lengthMax() {
      return lengthMax;
    }

    @Override
    public void next() {
      lengthMax = Integer.BYTES;
    }
  }

  /** The end of native requests, which name the length of their parts only. */
  final class OfVp implements RequestEnd {
    private final VpVersion version;
    private RequestScan scan;

    OfVp(VpVersion version) {
      this.version = version;
      this.scan = new RequestScan(version);
    }

    @Override
    public int headerBytes() {
      return 0;
    }

    @Override
    public int length(ByteBuf in) {
      return scan.length(in.nioBuffer());
    }

    @Override
    public int lengthMax() {
      return scan.lengthMax();
    }

    @Override
    public void next() {
      scan = new RequestScan(version);
    }
  }
}
