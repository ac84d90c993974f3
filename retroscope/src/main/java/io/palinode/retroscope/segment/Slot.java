package io.palinode.retroscope.segment;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * A {@link Segment} that lies in a file and is written there. Numbers are little-endian.
 *
 * <pre>
 * | base HLC i64 | content bytes i32 | "SLOT" | entries u32 | CRC-32C u32 | content |
 * </pre>
 *
 * Entries and checksum are one word, put after each entry: so whenever its process is killed, the
 * file has whole entries and a checksum of exactly them. What an append had begun lies behind and
 * is not looked at. The checksum is of base and content bytes, and then of each entry's header and
 * value, in order.
 */
public final class Slot {
  public static final int HEADER_BYTES = 24;

  private static final int MAGIC = 'S' | 'L' << 8 | 'O' << 16 | 'T' << 24;
  private static final int CONTENT_BYTES_AT = 8;
  private static final int MAGIC_AT = 12;
  private static final int PUBLISHED_AT = 16;
  private static final VarHandle LONGS =
      MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
  private static final VarHandle INTS =
      MethodHandles.byteBufferViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);

  private final ByteBuffer file;
  private final int publishedAt;
  private final Segment segment;
  private final Sum sum;
  private int entries;

  /** A checksum that continues. */
  private static final class Sum {
    private final CRC32C crc = new CRC32C();
    private final ByteBuffer view;

    Sum(ByteBuffer file, int at, ByteBuffer content) {
      crc.update(file.duplicate().limit(at + MAGIC_AT).position(at));
      view = content.duplicate();
    }

    void add(int from, int to) {
      crc.update(view.limit(to).position(from));
    }

    long value() {
      return crc.getValue();
    }
  }

  private Slot(ByteBuffer file, int at, Segment segment) {
    this.file = file;
    this.publishedAt = at + PUBLISHED_AT;
    this.segment = segment;
    this.sum = new Sum(file, at, segment.bytes());
  }

  /** Begins one at {@code at} in a file of zeros; a great one has room for one entry only. */
  public static Slot begin(ByteBuffer file, int at, int contentBytes, long base, boolean great) {
    file.putLong(at, base).putInt(at + CONTENT_BYTES_AT, contentBytes);
    INTS.setRelease(file, at + MAGIC_AT, MAGIC);
    ByteBuffer content = file.slice(at + HEADER_BYTES, contentBytes);
    return new Slot(file, at, new Segment(content, !great).begin(base, null));
  }

  public boolean hasRoomFor(long size) {
    return segment.hasRoomFor(size);
  }

  public void write(long hlc, byte[] key, byte @Nullable [] old) {
    int headersEnd = segment.headersEnd();
    int valuesFrom = segment.valuesFrom();
    segment.write(hlc, key, old);
    sum.add(headersEnd, segment.headersEnd());
    sum.add(segment.valuesFrom(), valuesFrom);
    entries++;
    LONGS.setRelease(file, publishedAt, sum.value() << Integer.SIZE | entries);
  }

  /** One that was found in a file; being written, perhaps. */
  public record Found(
      ByteBuffer file, int at, long base, int contentBytes, int entries, int checksum) {
    /** Null: none begins there. */
    public static @Nullable Found at(ByteBuffer file, int at) {
      if (at + HEADER_BYTES > file.capacity()
          || (int) INTS.getAcquire(file, at + MAGIC_AT) != MAGIC) {
        return null;
      }
      long published = (long) LONGS.getAcquire(file, at + PUBLISHED_AT);
      return new Found(
          file,
          at,
          file.getLong(at),
          file.getInt(at + CONTENT_BYTES_AT),
          (int) published,
          (int) (published >>> Integer.SIZE));
    }

    public boolean fitsIntoFile() {
      return contentBytes >= 0
          && contentBytes % Long.BYTES == 0
          && (long) at + HEADER_BYTES + contentBytes <= file.capacity()
          && entries >= 0;
    }

    public int end() {
      return at + HEADER_BYTES + contentBytes;
    }

    /**
     * Its entries; null: they are not what was written. O(bytes).
     *
     * @param great whether it was made for one entry
     */
    public @Nullable Segment read(boolean great) {
      ByteBuffer content = file.slice(at + HEADER_BYTES, contentBytes);
      Sum sum = new Sum(file, at, content);
      Segment segment = new Segment(content, !great).begin(base, null);
      try {
        segment.adopt(
            entries,
            entry -> {
              sum.add(entry.headerAt(), entry.headerEnd());
              sum.add(entry.oldAt(), entry.oldAt() + Math.max(0, entry.oldLength()));
            });
      } catch (IndexOutOfBoundsException | IllegalArgumentException e) {
        // What is no entry leads anywhere.
        return null;
      }
      return entries == 0 || checksum == (int) sum.value() ? segment : null;
    }
  }
}
