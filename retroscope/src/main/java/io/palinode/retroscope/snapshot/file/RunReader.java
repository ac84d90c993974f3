package io.palinode.retroscope.snapshot.file;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reads a run, a block at a time; each block's checksum is compared when it is read, so what is
 * damaged is never handed out. Throws {@link SnapshotException} then. For one thread at a time.
 */
public final class RunReader implements AutoCloseable {
  private static final int INDEX_HEAD_BYTES = 12;

  private final Run run;
  private final RandomAccessFile file;
  private final List<Block> blocks = new ArrayList<>();

  /** The last page's last key; a page behind this same array begins with {@link #behindPage}. */
  private byte @Nullable [] pageEnd;

  private int behindPage;

  private record Block(int store, byte[] firstKey, long offset, int length, int checksum) {
    boolean isBehind(int otherStore, byte @Nullable [] key) {
      return store > otherStore
          || (store == otherStore && key != null && Arrays.compareUnsigned(firstKey, key) > 0);
    }
  }

  private RunReader(Run run, RandomAccessFile file) {
    this.run = run;
    this.file = file;
  }

  /** Opens the file of {@code run}, which must be the one that was finished. */
  public static RunReader open(Path folder, Run run) {
    try {
      RandomAccessFile file = new RandomAccessFile(folder.resolve(run.name()).toFile(), "r");
      RunReader reader = new RunReader(run, file);
      try {
        reader.readIndex();
        return reader;
      } catch (IOException | RuntimeException e) {
        file.close();
        throw e;
      }
    } catch (IOException e) {
      throw new SnapshotException("the file " + run.name() + " cannot be read: " + e, e);
    }
  }

  private void readIndex() throws IOException {
    if (file.length() != run.bytes()) {
      throw damaged("it has %d bytes of %d".formatted(file.length(), run.bytes()));
    }
    byte[] head = read(0, RunWriter.HEAD_BYTES);
    if (!Arrays.equals(RunWriter.MAGIC, Arrays.copyOf(head, RunWriter.MAGIC.length))) {
      throw damaged("it does not begin with PLNR");
    }
    if (head[RunWriter.HEAD_BYTES - 1] != SealedFile.VERSION) {
      throw new SnapshotException(
          "the file %s must be of format 1: found %d"
              .formatted(run.name(), head[RunWriter.HEAD_BYTES - 1]));
    }
    long endAt = run.bytes() - RunWriter.END_BYTES;
    ByteBuffer end = ByteBuffer.wrap(read(endAt, RunWriter.END_BYTES));
    int length = end.getInt();
    if (length < INDEX_HEAD_BYTES || length > endAt - RunWriter.HEAD_BYTES) {
      throw damaged("its index has no sensible length");
    }
    byte[] index = read(endAt - length, length);
    if (end.getInt() != run.checksum() || SealedFile.checksum(index) != run.checksum()) {
      throw damaged("the checksum of its index does not fit");
    }
    readBlocks(ByteBuffer.wrap(index));
  }

  private void readBlocks(ByteBuffer in) {
    if (in.getLong() != run.entries()) {
      throw damaged("it does not hold " + run.entries() + " entries");
    }
    for (int left = in.getInt(); left > 0; left--) {
      int store = Short.toUnsignedInt(in.getShort());
      blocks.add(new Block(store, bytes(in), in.getLong(), in.getInt(), in.getInt()));
    }
  }

  /** Of its file. */
  public String name() {
    return run.name();
  }

  /**
   * The entries of a store behind {@code after} (null: from the first), absent ones included: as
   * many as have {@code bytesMax} bytes, one at least; empty behind the last.
   */
  public List<Entry> page(int store, byte @Nullable [] after, int bytesMax) {
    List<Entry> page = new ArrayList<>();
    long bytes = 0;
    boolean isNext = after != null && after == pageEnd;
    int i = isNext ? behindPage : blockOf(store, after);
    for (; i < blocks.size() && bytes < bytesMax; i++) {
      if (blocks.get(i).store() > store) {
        break;
      }
      bytes += addFrom(blocks.get(i), store, after, page);
    }
    pageEnd = page.isEmpty() ? null : page.get(page.size() - 1).key();
    behindPage = i;
    return page;
  }

  /** The entry of a key; null when the run says nothing of it. */
  public @Nullable Entry find(int store, byte[] key) {
    if (blocks.isEmpty()) {
      return null;
    }
    List<Entry> block = new ArrayList<>();
    addFrom(blocks.get(blockOf(store, key)), store, null, block);
    return block.stream().filter(e -> Arrays.equals(e.key(), key)).findFirst().orElse(null);
  }

  /** The last block that begins at or before the place. */
  private int blockOf(int store, byte @Nullable [] after) {
    int low = 0;
    int high = blocks.size();
    while (low < high) {
      int middle = (low + high) >>> 1;
      boolean isBehind =
          after == null
              ? blocks.get(middle).store() >= store
              : blocks.get(middle).isBehind(store, after);
      if (isBehind) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    return Math.max(0, low - 1);
  }

  private long addFrom(Block block, int store, byte @Nullable [] after, List<Entry> page) {
    long bytes = 0;
    ByteBuffer in = ByteBuffer.wrap(checked(block));
    while (in.hasRemaining()) {
      int of = Short.toUnsignedInt(in.getShort());
      byte[] key = bytes(in);
      int length = in.getInt();
      byte[] record = length == RunWriter.ABSENT ? null : bytes(in, length);
      if (of == store && (after == null || Arrays.compareUnsigned(key, after) > 0)) {
        Entry entry = new Entry(key, record);
        page.add(entry);
        bytes += entry.bytes();
      }
    }
    return bytes;
  }

  /** Reads every block. Throws {@link SnapshotException} when one is damaged. */
  void verify() {
    blocks.forEach(this::checked);
  }

  private byte[] checked(Block block) {
    try {
      byte[] bytes = read(block.offset(), block.length());
      if (SealedFile.checksum(bytes) != block.checksum()) {
        throw damaged("the checksum of the block at " + block.offset() + " does not fit");
      }
      return bytes;
    } catch (IOException | BufferUnderflowException e) {
      throw new SnapshotException("the file " + run.name() + " cannot be read: " + e, e);
    }
  }

  private byte[] read(long offset, int length) throws IOException {
    byte[] bytes = new byte[length];
    file.seek(offset);
    file.readFully(bytes);
    return bytes;
  }

  private static byte[] bytes(ByteBuffer in) {
    return bytes(in, in.getInt());
  }

  private static byte[] bytes(ByteBuffer in, int length) {
    byte[] bytes = new byte[length];
    in.get(bytes);
    return bytes;
  }

  private SnapshotException damaged(String how) {
    return new SnapshotException("the file " + run.name() + " is damaged: " + how);
  }

  @Override
  public void close() {
    try {
      file.close();
    } catch (IOException e) {
      throw new SnapshotException("the file " + run.name() + " was not closed: " + e, e);
    }
  }
}
