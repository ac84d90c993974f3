package io.palinode.voldemort.bdb;

import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Counts a store's commits in a file beside it, to detect lost commits at the next start. Numbers
 * are little-endian.
 *
 * <pre>
 * | "PSTOEND" | version u8 = 1 | phase, 8 bytes of ASCII | commits i64 | synced commits i64
 * | store id i64 | boot: its length u16 and UTF-8 | CRC-32C i32 | zeros, to 512 bytes |
 * </pre>
 *
 * The store has the same count and id in each transaction. The count enters a mapped page, which
 * survives the process, after the commit and before the response. So the store's count is at least
 * this one. After a loss of power only the synced count and a closed file are certain.
 *
 * <p>The checksum omits phase and counts, which change in place. For one thread at a time.
 */
final class StoreEnd {
  static final int BYTES = 512;

  private static final Logger log = LoggerFactory.getLogger(StoreEnd.class);
  private static final byte[] MAGIC = "PSTOEND".getBytes(StandardCharsets.US_ASCII);
  private static final byte VERSION = 1;
  private static final int PHASE_AT = 8;
  private static final int COMMITS_AT = 16;
  private static final int SYNCED_AT = 24;
  private static final int ID_AT = 32;
  private static final int BOOT_BYTES_MAX = 200;
  private static final long OPEN = phase("open");
  private static final long CLOSED = phase("closed");
  private static final Path BOOT = Path.of("/proc/sys/kernel/random/boot_id");
  private static final VarHandle LONGS =
      MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

  private final Path file;
  private @Nullable MappedByteBuffer mapped;

  /**
   * The state that an earlier run left.
   *
   * @param commits the least count that the store must have
   */
  record Found(long id, long commits) {}

  private StoreEnd(Path file, MappedByteBuffer mapped) {
    this.file = file;
    this.mapped = mapped;
  }

  /** Null if there is no file. Throws {@link DamagedException}, and IOException. */
  static @Nullable Found find(Path file) throws IOException {
    return find(file, boot());
  }

  static @Nullable Found find(Path file, String boot) throws IOException {
    if (!Files.exists(file)) {
      return null;
    }
    byte[] bytes = Files.readAllBytes(file);
    if (bytes.length != BYTES || !Arrays.equals(MAGIC, Arrays.copyOf(bytes, MAGIC.length))) {
      throw new DamagedException("it is not a count of commits");
    }
    if (bytes[MAGIC.length] != VERSION) {
      throw new DamagedException(
          "its format is %d, not %d".formatted(bytes[MAGIC.length], VERSION));
    }
    ByteBuffer in = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    long phase = in.getLong(PHASE_AT);
    String wasBoot = checkedBoot(in, bytes);
    if (phase != OPEN && phase != CLOSED) {
      throw new DamagedException("its phase is neither open nor closed");
    }
    boolean isCertain = phase == CLOSED || (!boot.isEmpty() && boot.equals(wasBoot));
    return new Found(in.getLong(ID_AT), in.getLong(isCertain ? COMMITS_AT : SYNCED_AT));
  }

  private static String checkedBoot(ByteBuffer in, byte[] bytes) throws DamagedException {
    try {
      in.position(ID_AT + Long.BYTES);
      byte[] boot = new byte[Math.min(BOOT_BYTES_MAX, Short.toUnsignedInt(in.getShort()))];
      in.get(boot);
      int end = in.position();
      if (in.getInt() == checksum(bytes, end)) {
        return new String(boot, StandardCharsets.UTF_8);
      }
    } catch (BufferUnderflowException e) {
      throw new DamagedException("its end is missing");
    }
    throw new DamagedException("its checksum is wrong");
  }

  /** Begins the count of a run. Replaces the file. */
  static StoreEnd begin(Path file, long id, long commits) throws IOException {
    byte[] boot = boot().getBytes(StandardCharsets.UTF_8);
    ByteBuffer out = ByteBuffer.allocate(BYTES).order(ByteOrder.LITTLE_ENDIAN);
    out.put(MAGIC).put(VERSION).putLong(OPEN).putLong(commits).putLong(0).putLong(id);
    out.putShort((short) boot.length).put(boot);
    out.putInt(checksum(out.array(), out.position()));
    // Moved into place when complete: a crash leaves the file of the run before.
    Path fresh = file.resolveSibling(file.getFileName() + ".new");
    Files.write(fresh, out.array());
    MappedByteBuffer mapped;
    try (FileChannel channel =
        FileChannel.open(fresh, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      mapped = channel.map(MapMode.READ_WRITE, 0, BYTES);
      channel.force(true);
    }
    Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    return new StoreEnd(file, mapped);
  }

  /** Records the store's count; {@code synced} if it survives a loss of power. Never fails. */
  void committed(long commits, boolean synced) {
    MappedByteBuffer into = mapped;
    if (into == null) {
      return;
    }
    try {
      LONGS.setRelease(into, COMMITS_AT, commits);
      if (synced) {
        LONGS.setRelease(into, SYNCED_AT, commits);
      }
    } catch (InternalError e) {
      // The mapped page cannot be written. The commit is done, so its caller must not fail.
      mapped = null;
      log.warn("file={} phase=COMMITS_UNCOUNTED", file, e);
    }
  }

  /** Records that all commits are on the medium. Idempotent. */
  void close() throws IOException {
    MappedByteBuffer into = mapped;
    mapped = null;
    if (into != null) {
      LONGS.setRelease(into, PHASE_AT, CLOSED);
      into.force();
    }
  }

  private static long phase(String name) {
    byte[] padded = Arrays.copyOf(name.getBytes(StandardCharsets.US_ASCII), Long.BYTES);
    return ByteBuffer.wrap(padded).order(ByteOrder.LITTLE_ENDIAN).getLong();
  }

  private static int checksum(byte[] bytes, int end) {
    CRC32C crc = new CRC32C();
    crc.update(bytes, 0, PHASE_AT);
    crc.update(bytes, ID_AT, end - ID_AT);
    return (int) crc.getValue();
  }

  private static String boot() throws IOException {
    return Files.isReadable(BOOT) ? Files.readString(BOOT).strip() : "";
  }

  /** Thrown for a file that another program has changed. */
  static final class DamagedException extends IOException {
    @java.io.Serial private static final long serialVersionUID = 1L;

    DamagedException(String message) {
      super(message);
    }
  }
}
