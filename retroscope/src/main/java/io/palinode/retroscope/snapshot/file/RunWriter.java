package io.palinode.retroscope.snapshot.file;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Writes a run: entries of one or more stores, in order of the store, then of the key's unsigned
 * bytes. Nothing of a run can be read before {@link #finish}: its index comes last.
 *
 * <pre>
 * | "PLNR" | version u8 = 1 |
 * blocks, each some 64 KiB of entries:
 *   | store u16 | key length i32 | key | record length i32, -1: absent | record |
 * index:
 *   | entries i64 | blocks i32 |
 *   per block: | first store u16 | first key length i32 | first key |
 *              | offset i64 | length i32 | CRC-32C of the block i32   |
 * end:
 *   | length of the index i32 | CRC-32C of the index i32 |
 * </pre>
 *
 * Numbers are big-endian. A store is its place in the list of the {@link Part}.
 */
public final class RunWriter implements AutoCloseable {
  static final byte[] MAGIC = "PLNR".getBytes(StandardCharsets.US_ASCII);
  static final int HEAD_BYTES = 5;
  static final int END_BYTES = 8;
  static final int BLOCK_BYTES = 64 << 10;
  static final int ABSENT = -1;
  private static final int ENTRY_HEAD_BYTES = Short.BYTES + 2 * Integer.BYTES;

  /** A disk that has much to sync at once holds up the store's own writes. */
  public static final long UNSYNCED_BYTES_MAX = 4L << 20;

  private final Path file;
  private final Room room;
  private final FileChannel disk;
  private final ByteArrayOutputStream index = new ByteArrayOutputStream();
  private final DataOutputStream indexOut = new DataOutputStream(index);
  private ByteBuffer block = ByteBuffer.allocate(2 * BLOCK_BYTES);
  private int blocks;
  private long entries;
  private long offset;
  private long synced;
  private int lastStore = -1;
  private byte @Nullable [] lastKey;

  /** Throws {@link SnapshotException} when there is too little room, here and later. */
  public RunWriter(Path file, Room room) throws IOException {
    this.file = file;
    this.room = room;
    room.require(file, UNSYNCED_BYTES_MAX);
    this.disk =
        FileChannel.open(
            file,
            StandardOpenOption.WRITE,
            StandardOpenOption.CREATE,
            StandardOpenOption.TRUNCATE_EXISTING);
    write(ByteBuffer.allocate(HEAD_BYTES).put(MAGIC).put((byte) SealedFile.VERSION).flip());
    offset = HEAD_BYTES;
  }

  /** The next entry, behind all before. */
  public void add(int store, Entry entry) throws IOException {
    requireOrder(store, entry.key());
    if (block.position() == 0) {
      indexOut.writeShort(store);
      indexOut.writeInt(entry.key().length);
      indexOut.write(entry.key());
    }
    byte[] record = entry.record();
    makeRoom(ENTRY_HEAD_BYTES + entry.bytes());
    block.putShort((short) store).putInt(entry.key().length).put(entry.key());
    block.putInt(record == null ? ABSENT : record.length);
    if (record != null) {
      block.put(record);
    }
    entries++;
    if (block.position() >= BLOCK_BYTES) {
      endBlock();
    }
  }

  private void makeRoom(int bytes) {
    if (block.remaining() < bytes) {
      ByteBuffer larger = ByteBuffer.allocate(Math.addExact(block.position(), bytes));
      block = larger.put(block.flip());
    }
  }

  public long entries() {
    return entries;
  }

  /** Bytes of full blocks so far. */
  public long bytes() {
    return offset;
  }

  /** Puts all of it on the disk, power failures included. */
  public Run finish() throws IOException {
    Run run = writeIndex();
    disk.force(true);
    disk.close();
    return run;
  }

  /** Of a run that is read by this process alone. */
  public Run finishForNow() throws IOException {
    Run run = writeIndex();
    disk.close();
    return run;
  }

  private Run writeIndex() throws IOException {
    if (block.position() > 0) {
      endBlock();
    }
    ByteArrayOutputStream whole = new ByteArrayOutputStream();
    DataOutputStream head = new DataOutputStream(whole);
    head.writeLong(entries);
    head.writeInt(blocks);
    head.write(index.toByteArray());
    byte[] bytes = whole.toByteArray();
    int checksum = SealedFile.checksum(bytes);
    write(ByteBuffer.wrap(bytes));
    write(ByteBuffer.allocate(END_BYTES).putInt(bytes.length).putInt(checksum).flip());
    return new Run(
        file.getFileName().toString(), entries, offset + bytes.length + END_BYTES, checksum);
  }

  private void endBlock() throws IOException {
    block.flip();
    indexOut.writeLong(offset);
    indexOut.writeInt(block.limit());
    indexOut.writeInt(SealedFile.checksum(block.duplicate()));
    offset += block.limit();
    blocks++;
    write(block);
    block.clear();
    if (offset - synced > UNSYNCED_BYTES_MAX) {
      disk.force(true);
      synced = offset;
      // Only now does the disk show its free space.
      room.require(file, UNSYNCED_BYTES_MAX);
    }
  }

  private void write(ByteBuffer bytes) throws IOException {
    while (bytes.hasRemaining()) {
      disk.write(bytes);
    }
  }

  private void requireOrder(int store, byte[] key) {
    byte[] last = lastKey;
    boolean isBehind =
        last == null
            || store > lastStore
            || (store == lastStore && Arrays.compareUnsigned(key, last) > 0);
    if (!isBehind) {
      throw new IllegalArgumentException("the entries of a run must be in order: store=" + store);
    }
    lastStore = store;
    lastKey = key;
  }

  /** What was not finished is no run. */
  @Override
  public void close() throws IOException {
    disk.close();
  }
}
