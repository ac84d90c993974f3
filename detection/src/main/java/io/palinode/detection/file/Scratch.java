package io.palinode.detection.file;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
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

  /** Writes entries one after the other. */
  final class Writer implements AutoCloseable {
    private final DataOutputStream out;
    private long entries;

    private Writer(FileChannel channel) {
      OutputStream end = Channels.newOutputStream(channel);
      this.out = new DataOutputStream(new BufferedOutputStream(end, WRITE_BYTES));
    }

    void write(Entry entry) throws IOException {
      entry.write(out);
      entries++;
    }

    long entries() {
      return entries;
    }

    /** Where the next entry will stand. */
    long offset() throws IOException {
      out.flush();
      return size();
    }

    /** Leaves the file open. */
    @Override
    public void close() throws IOException {
      out.flush();
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
    InputStream from = new At(channel(), region.offset());
    DataInputStream in = new DataInputStream(new BufferedInputStream(from, bufferBytes));
    return new Iterator<>() {
      private long left = region.entries();

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
          return Entry.read(in);
        } catch (IOException e) {
          throw new UncheckedIOException(e);
        }
      }
    };
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
  private static final class At extends InputStream {
    private final FileChannel channel;
    private long position;

    At(FileChannel channel, long position) {
      this.channel = channel;
      this.position = position;
    }

    @Override
    public int read() throws IOException {
      byte[] one = new byte[1];
      return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] bytes, int from, int length) throws IOException {
      int count = channel.read(ByteBuffer.wrap(bytes, from, length), position);
      position += Math.max(0, count);
      return count;
    }
  }
}
