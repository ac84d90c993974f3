package io.palinode.voldemort.protocol;

import com.google.protobuf.CodedOutputStream;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.MessageLite;
import com.google.protobuf.Parser;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.ByteToMessageDecoder;
import io.netty.handler.codec.LengthFieldBasedFrameDecoder;
import io.netty.handler.codec.MessageToByteEncoder;
import java.io.IOException;
import java.nio.charset.StandardCharsets;

/**
 * How a pb0 connection begins and how its messages are framed.
 *
 * <pre>
 * client: "pb0"                        3 bytes, in one segment: stock nodes read them at once
 * node:   "ok"                         2 bytes
 * then both ways:
 * +-------------+----------------+
 * | length: i32 | message        |    big-endian; at most {@link #MESSAGE_BYTES_MAX}
 * +-------------+----------------+
 * </pre>
 */
public final class Frames {
  public static final int MESSAGE_BYTES_MAX = 64 << 20;

  /** Characters of a client's id: a rollback names up to a thousand of them in one record. */
  public static final int CLIENT_ID_MAX = 255;

  public static final int PROTOCOL_BYTES = 3;
  public static final int ANSWER_BYTES = 2;

  public static final String PROTOCOL = "pb0";
  private static final String ACCEPTED = "ok";
  private static final String REFUSED = "no";

  private Frames() {}

  /** What a client sends first. */
  public static byte[] protocol() {
    return PROTOCOL.getBytes(StandardCharsets.US_ASCII);
  }

  /** What a node answers to {@link #protocol()}. */
  public static byte[] accepted() {
    return ACCEPTED.getBytes(StandardCharsets.US_ASCII);
  }

  /** What a node answers to any other protocol, before it closes the connection. */
  public static byte[] refused() {
    return REFUSED.getBytes(StandardCharsets.US_ASCII);
  }

  /**
   * Hands on the body of each frame, as a {@link ByteBuf} that the next handler releases. A length
   * that is negative or above the limit fails the pipeline with a {@code DecoderException}. One per
   * channel.
   */
  public static ByteToMessageDecoder decoder() {
    return new LengthFieldBasedFrameDecoder(
        MESSAGE_BYTES_MAX + Integer.BYTES, 0, Integer.BYTES, 0, Integer.BYTES);
  }

  /** Writes messages as frames. A message above the limit fails its own write only. */
  public static MessageToByteEncoder<MessageLite> encoder() {
    return new Encoder();
  }

  /** Reads a whole frame body; does not release it. */
  public static <T extends MessageLite> T parse(ByteBuf body, Parser<T> parser)
      throws InvalidProtocolBufferException {
    return parser.parseFrom(body.nioBuffer());
  }

  private static final class Encoder extends MessageToByteEncoder<MessageLite> {
    Encoder() {
      super(MessageLite.class);
    }

    @Override
    protected ByteBuf allocateBuffer(
        ChannelHandlerContext ctx, MessageLite message, boolean preferDirect) {
      int size = message.getSerializedSize();
      if (size > MESSAGE_BYTES_MAX) {
        throw new IllegalArgumentException(
            "a message must be at most " + MESSAGE_BYTES_MAX + " bytes: bytes=" + size);
      }
      return ctx.alloc().ioBuffer(Integer.BYTES + size);
    }

    @Override
    protected void encode(ChannelHandlerContext ctx, MessageLite message, ByteBuf out)
        throws IOException {
      int size = message.getSerializedSize();
      out.writeInt(size);
      // Into the buffer itself: a stream over it would take one of 4 KiB for each message.
      CodedOutputStream body =
          CodedOutputStream.newInstance(out.internalNioBuffer(out.writerIndex(), size));
      message.writeTo(body);
      body.flush();
      out.writerIndex(out.writerIndex() + size);
    }
  }
}
