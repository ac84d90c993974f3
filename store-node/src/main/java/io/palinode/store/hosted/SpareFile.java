package io.palinode.store.hosted;

import io.palinode.store.engine.StorageException;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * One small record in a file with allocated blocks. A full disk thus takes a new record. Two slots
 * alternate: a partial record leaves the one before it. Thread-safe. Throws {@link
 * StorageException}.
 *
 * <pre>
 * one of two slots, 4,096 bytes:
 * | version u8 = 1 | number i64 | length i32 | record | CRC-32C of all before i32 | zeros |
 * </pre>
 *
 * <p>Hazard: a copy-on-write file system needs free space even so.
 */
public final class SpareFile implements AutoCloseable {
  public static final int RECORD_BYTES_MAX = 1_024;

  static final int SLOT_BYTES = 4_096;

  private static final byte VERSION = 1;
  private static final int SLOTS = 2;
  private static final int HEADER_BYTES = Byte.BYTES + Long.BYTES + Integer.BYTES;

  private final Path path;
  private final RandomAccessFile file;
  private long number;
  private byte @Nullable [] record;

  private SpareFile(Path path, RandomAccessFile file) throws IOException {
    this.path = path;
    this.file = file;
    for (int slot = 0; slot < SLOTS; slot++) {
      find(slot);
    }
  }

  /** Opens the file, or creates it and allocates its blocks. */
  public static SpareFile open(Path path) {
    try {
      RandomAccessFile file = new RandomAccessFile(path.toFile(), "rw");
      try {
        if (file.length() < SLOTS * SLOT_BYTES) {
          file.write(new byte[SLOTS * SLOT_BYTES]);
          file.getFD().sync();
        }
        return new SpareFile(path, file);
      } catch (IOException e) {
        file.close();
        throw e;
      }
    } catch (IOException e) {
      throw new StorageException("opening " + path + " failed: " + e, e);
    }
  }

  /** Ignores a slot that is not complete. */
  private void find(int slot) throws IOException {
    byte[] bytes = new byte[SLOT_BYTES];
    file.seek((long) slot * SLOT_BYTES);
    file.readFully(bytes);
    ByteBuffer in = ByteBuffer.wrap(bytes);
    byte version = in.get();
    long found = in.getLong();
    int length = in.getInt();
    if (version != VERSION || length < 0 || length > RECORD_BYTES_MAX) {
      return;
    }
    int end = HEADER_BYTES + length;
    if (in.getInt(end) == crc(bytes, end) && found > number) {
      number = found;
      record = Arrays.copyOfRange(bytes, HEADER_BYTES, end);
    }
  }

  /** The last written record; null if there is none. */
  public synchronized byte @Nullable [] read() {
    return record == null ? null : record.clone();
  }

  /**
   * Writes a record that survives the process, and the machine too if {@code synced}.
   *
   * @param fresh at most {@link #RECORD_BYTES_MAX} bytes
   */
  public synchronized void write(byte[] fresh, boolean synced) {
    if (fresh.length > RECORD_BYTES_MAX) {
      throw new IllegalArgumentException(
          "a spare record must have at most 1,024 bytes: bytes=" + fresh.length);
    }
    long next = number + 1;
    byte[] bytes = new byte[HEADER_BYTES + fresh.length + Integer.BYTES];
    ByteBuffer out = ByteBuffer.wrap(bytes).put(VERSION).putLong(next).putInt(fresh.length);
    out.put(fresh).putInt(crc(bytes, HEADER_BYTES + fresh.length));
    try {
      file.seek(next % SLOTS * SLOT_BYTES);
      file.write(bytes);
      if (synced) {
        file.getFD().sync();
      }
    } catch (IOException e) {
      throw new StorageException("writing " + path + " failed: " + e, e);
    }
    number = next;
    record = fresh.clone();
  }

  @Override
  public synchronized void close() {
    try {
      file.close();
    } catch (IOException e) {
      throw new StorageException("closing " + path + " failed: " + e, e);
    }
  }

  private static int crc(byte[] bytes, int length) {
    CRC32C crc = new CRC32C();
    crc.update(bytes, 0, length);
    return (int) crc.getValue();
  }
}
