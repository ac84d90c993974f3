package io.palinode.cql.protocol;

import io.palinode.hvc.Hvc;
import io.palinode.hvc.HvcCodec;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * The epoch and the clock of a request or an answer: in the custom payload of Cassandra's native
 * protocol, and between its servers in the custom parameters of a message.
 *
 * <pre>
 * +------------+--------------------+---------------------+------------------------+
 * | version u8 | flags u8           | epoch i64           | clock                  |
 * | = 1        | bit 0: refused     | -1 if it is unknown | HvcCodec, or no bytes  |
 * +------------+--------------------+---------------------+------------------------+
 * </pre>
 *
 * @param refused whether this answers a request that the server did not carry out
 * @param clock null before the first answer
 */
public record Context(long epoch, boolean refused, @Nullable Hvc clock) {
  /** The name of its bytes in a payload. */
  public static final String KEY = "palinode";

  public static final long UNKNOWN = -1;

  private static final byte VERSION = 1;
  private static final byte REFUSED = 1;
  private static final int HEADER_BYTES = 2 + Long.BYTES;

  public Context {
    if (epoch < UNKNOWN) {
      throw new IllegalArgumentException("an epoch must not be negative: epoch=" + epoch);
    }
  }

  /** That of a request, or of an answer that counts. */
  public static Context of(long epoch, @Nullable Hvc clock) {
    return new Context(epoch, false, clock);
  }

  /** That of an answer to a request that was not carried out. */
  public static Context refused(long epoch) {
    return new Context(epoch, true, null);
  }

  public byte[] encode() {
    byte[] bytes = clock == null ? new byte[0] : HvcCodec.encode(clock);
    return ByteBuffer.allocate(HEADER_BYTES + bytes.length)
        .put(VERSION)
        .put(refused ? REFUSED : 0)
        .putLong(epoch)
        .put(bytes)
        .array();
  }

  /** Throws {@link IllegalArgumentException} for bytes that {@link #encode} did not make. */
  public static Context decode(byte[] bytes) {
    if (bytes.length < HEADER_BYTES || bytes[0] != VERSION) {
      throw new IllegalArgumentException(
          "a context must have at least %d bytes, the first of them %d: it has %d"
              .formatted(HEADER_BYTES, VERSION, bytes.length));
    }
    ByteBuffer in = ByteBuffer.wrap(bytes, 1, bytes.length - 1);
    byte flags = in.get();
    long epoch = in.getLong();
    byte[] clock = new byte[in.remaining()];
    in.get(clock);
    return new Context(
        epoch, (flags & REFUSED) != 0, clock.length == 0 ? null : HvcCodec.decode(clock));
  }
}
