package io.palinode.detection.file;

import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A file for what does not fit in memory, made with the first byte. The system forgets it when it
 * is closed, also when the process is killed. Written at its end, read anywhere. For one thread.
 */
final class Scratch implements AutoCloseable {
  private static final int WRITE_BYTES = 1 << 18;

  private final Path folder;
  private @Nullable FileChannel file;

  Scratch(Path folder) {
    this.folder = folder;
  }

  /** So many entries from {@code offset} on. */
  record Region(long offset, long entries) {}

  /** Writes entries one after the other, each behind its length. */
  final class Writer implements AutoCloseable {
    private final FileChannel channel;
    private ByteBuffer buffer = ByteBuffer.allocate(WRITE_BYTES);

    private Writer(FileChannel channel) {
      this.channel = channel;
    }

    void write(Entry entry) throws IOException {
      require(Integer.BYTES + entry.bytesMax());
      int at = buffer.position();
      buffer.position(at + Integer.BYTES);
      entry.write(buffer);
      buffer.putInt(at, buffer.position() - at - Integer.BYTES);
    }

    /** An entry that is written already. */
    void write(ByteBuffer bytes, int from, int length) throws IOException {
      require(Integer.BYTES + length);
      int at = buffer.putInt(length).position();
      buffer.put(at, bytes, from, length).position(at + length);
    }

    /** Has room for so many bytes. */
    private void require(int bytes) throws IOException {
      if (buffer.remaining() < bytes) {
        flush();
        buffer = buffer.capacity() < bytes ? ByteBuffer.allocate(bytes) : buffer;
      }
    }

    private void flush() throws IOException {
      buffer.flip();
      while (buffer.hasRemaining()) {
        channel.write(buffer);
      }
      buffer.clear();
    }

    /** Where the next entry will stand. */
    long offset() throws IOException {
      flush();
      return size();
    }

    /** Leaves the file open. */
    @Override
    public void close() throws IOException {
      flush();
    }
  }

  Writer writer() throws IOException {
    FileChannel channel = channel();
    channel.position(channel.size());
    return new Writer(channel);
  }

  long size() throws IOException {
    FileChannel channel = file;
    return channel == null ? 0 : channel.size();
  }

  /** The entries of a region; reading may throw {@link UncheckedIOException}. */
  Iterator<Entry> read(Region region, int bufferBytes) throws IOException {
    return new Reader(channel(), region, bufferBytes);
  }

  private FileChannel channel() throws IOException {
    FileChannel open = file;
    if (open == null) {
      Path path = Files.createTempFile(folder, "palinode-detect-", ".tmp");
      open =
          FileChannel.open(
              path,
              Set.of(
                  StandardOpenOption.READ,
                  StandardOpenOption.WRITE,
                  StandardOpenOption.DELETE_ON_CLOSE));
      file = open;
    }
    return open;
  }

  @Override
  public void close() throws IOException {
    FileChannel open = file;
    if (open != null) {
      open.close();
    }
  }

  /** Reads from its own position, independent of other reads and writes. */
  private static final class Reader implements Iterator<Entry> {
    private final FileChannel channel;
    private ByteBuffer buffer;
    private long position;
    private long left;
    private String binding = "";

    Reader(FileChannel channel, Region region, int bufferBytes) {
      this.channel = channel;
      this.buffer = ByteBuffer.allocate(bufferBytes).limit(0);
      this.position = region.offset();
      this.left = region.entries();
    }

    @Override
    public boolean hasNext() {
      return left > 0;
    }

    @Override
    public Entry next() {
      if (left == 0) {
        throw new NoSuchElementException("the region is read");
      }
      left--;
      try {
        require(Integer.BYTES);
        require(buffer.getInt());
        Entry entry = Entry.read(buffer, binding);
        binding = entry.binding();
        return entry;
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    /** Has so many bytes at hand. */
    private void require(int bytes) throws IOException {
      if (buffer.remaining() >= bytes) {
        return;
      }
      ByteBuffer from = buffer;
      buffer = from.capacity() < bytes ? ByteBuffer.allocate(bytes).put(from) : from.compact();
      while (buffer.position() < bytes) {
        int count = channel.read(buffer, position);
        if (count < 0) {
          throw new EOFException("the scratch file is cut off: position=" + position);
        }
        position += count;
      }
      buffer.flip();
    }
  }
}
