package io.palinode.detector.terms;

import io.palinode.detector.binding.Version;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.List;

/**
 * What a node has of a key, in one number: the sum, over all siblings, of the first 8 bytes of the
 * SHA-256 of {@code <clock's length, i32><clock><value>}. Equal on all nodes that have the same
 * siblings, in whatever order; two that differ are equal once in 2^64. 0 when there is none.
 * O(bytes of the siblings). Thread-safe.
 */
public final class StateDigest {
  private StateDigest() {}

  public static long of(List<Version> siblings) {
    long digest = 0;
    for (Version version : siblings) {
      digest += of(version);
    }
    return digest;
  }

  private static long of(Version version) {
    MessageDigest sha256 = sha256();
    sha256.update(ByteBuffer.allocate(Integer.BYTES).putInt(version.clock().length).array());
    sha256.update(version.clock());
    sha256.update(version.value());
    return ByteBuffer.wrap(sha256.digest()).getLong();
  }

  private static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }
}
