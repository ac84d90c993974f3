package io.palinode.store.restore;

import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import org.jspecify.annotations.Nullable;

/**
 * The first eight bytes of a record's SHA-256, to compare replicas. No cluster should ever meet two
 * records with one digest. For one thread.
 */
final class RecordDigest {
  private static final byte[] ABSENT = new byte[0];

  private final MessageDigest sha;

  RecordDigest() {
    try {
      sha = MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java has SHA-256", e);
    }
  }

  /** The digest of a key with its record. May be 0. */
  long of(byte[] key, byte[] record) {
    sha.update(ByteBuffer.allocate(Integer.BYTES).putInt(key.length).array());
    sha.update(key);
    return ByteBuffer.wrap(sha.digest(record)).getLong();
  }

  /** Never 0. */
  long of(byte @Nullable [] record) {
    long digest = ByteBuffer.wrap(sha.digest(record == null ? ABSENT : record)).getLong();
    return digest == 0 ? 1 : digest;
  }
}
