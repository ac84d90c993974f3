package io.palinode.voldemort.access;

import com.google.protobuf.ByteString;
import io.palinode.hvc.Hlc;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Proves that a node had a version, by a key that only nodes have. A client carries the proof to
 * the replica that it copies the version to. Thread-safe; costs one HMAC over the value.
 *
 * <pre>
 * +----------+-------------------------------------------------------------------------+
 * | hlc: i64 | first 16 bytes of HMAC-SHA256 over: 1: u8, node: i32, epoch: i64,       |
 * |          | hlc: i64, store, key, clock with its time (each with its length: i32),  |
 * |          | value                                                                   |
 * +----------+-------------------------------------------------------------------------+
 * </pre>
 */
public final class CopyProofs {
  static final int KEY_BYTES_MIN = 32;

  /** A copy is sent at once; later, its version may have ended. */
  static final long AGE_MICROS_MAX = TimeUnit.SECONDS.toMicros(30);

  private static final int KEY_BYTES_MAX = 4_096;
  private static final String ALGORITHM = "HmacSHA256";
  private static final byte FORMAT = 1;
  private static final int MAC_BYTES = 16;

  private final SecretKeySpec key;
  private final LongSupplier epochMicros;

  /** Throws {@link IllegalArgumentException} for a key that is too short. */
  public CopyProofs(byte[] key, LongSupplier epochMicros) {
    if (key.length < KEY_BYTES_MIN || key.length > KEY_BYTES_MAX) {
      throw new IllegalArgumentException(
          "a key of copies has %d to %d bytes: bytes=%d"
              .formatted(KEY_BYTES_MIN, KEY_BYTES_MAX, key.length));
    }
    this.key = new SecretKeySpec(key, ALGORITHM);
    this.epochMicros = epochMicros;
  }

  /** With the key of a file. Throws {@link IllegalArgumentException} that names the file. */
  public static CopyProofs read(Path file, LongSupplier epochMicros) {
    try {
      return new CopyProofs(Files.readAllBytes(file), epochMicros);
    } catch (IOException e) {
      throw new IllegalArgumentException("cannot read %s: %s".formatted(file, e), e);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(file + ": " + e.getMessage(), e);
    }
  }

  /**
   * A version on a node.
   *
   * @param epoch in which the node had it
   * @param clock with its time
   */
  public record Held(int node, long epoch, String store, byte[] key, byte[] clock, byte[] value) {}

  /**
   * @param hlc at which the node had the version
   */
  public ByteString proof(Held held, long hlc) {
    ByteBuffer out = ByteBuffer.allocate(Long.BYTES + MAC_BYTES);
    return ByteString.copyFrom(out.putLong(hlc).put(mac(held, hlc), 0, MAC_BYTES).flip());
  }

  /** Whether the node had the version just now. */
  public boolean holds(Held held, ByteString proof) {
    if (proof.size() != Long.BYTES + MAC_BYTES) {
      return false;
    }
    ByteBuffer in = proof.asReadOnlyByteBuffer();
    long hlc = in.getLong();
    byte[] mac = new byte[MAC_BYTES];
    in.get(mac);
    return MessageDigest.isEqual(mac, Arrays.copyOf(mac(held, hlc), MAC_BYTES))
        && epochMicros.getAsLong() - Hlc.micros(hlc) <= AGE_MICROS_MAX;
  }

  private byte[] mac(Held held, long hlc) {
    byte[] store = held.store().getBytes(StandardCharsets.UTF_8);
    int fixed = 1 + Integer.BYTES + 2 * Long.BYTES;
    ByteBuffer head =
        ByteBuffer.allocate(
            fixed + 3 * Integer.BYTES + store.length + held.key().length + held.clock().length);
    head.put(FORMAT).putInt(held.node()).putLong(held.epoch()).putLong(hlc);
    for (byte[] part : new byte[][] {store, held.key(), held.clock()}) {
      head.putInt(part.length).put(part);
    }
    try {
      Mac mac = Mac.getInstance(ALGORITHM);
      mac.init(key);
      mac.update(head.flip());
      return mac.doFinal(held.value());
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("each JDK has " + ALGORITHM, e);
    }
  }
}
