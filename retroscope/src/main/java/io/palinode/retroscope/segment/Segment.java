package io.palinode.retroscope.segment;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A piece of the log: headers from the front, old values from the back, until they meet. So a scan
 * reads headers only, densely.
 *
 * <pre>
 * +----------+----------+--  free  --+-------------+-------------+
 * | header 0 | header 1 | →        ← | old value 1 | old value 0 |
 * +----------+----------+------------+-------------+-------------+
 *
 * header, as appended:                              header, interned:
 * +-----------+------------+-----+----------------+ +-----------+------------+----------------+
 * | HLC − the | key length | key | old length + 1 | | HLC − the | key number | old length + 1 |
 * | one before| vint       |     | vint, 0=absent | | one before| vint       | vint, 0=absent |
 * +-----------+------------+-----+----------------+ +-----------+------------+----------------+
 * </pre>
 *
 * The first entry's HLC counts from {@code base}. Every {@link #MARK_ENTRIES} entries a mark says
 * where time stands.
 *
 * <p>Written by one thread at a time; what is written is seen by others once it is published, under
 * the log's lock, and does not change until the segment is used again. That it is not while someone
 * has pinned it.
 */
public final class Segment {
  static final int MARK_ENTRIES = 256;

  /** A reference to an entry has so many bits for a place in its segment. */
  public static final int BYTES_MAX = 1 << 20;

  private static final int SHORT_BYTES_MAX = 64;
  private static final VarHandle WORDS =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

  private final ByteBuffer bytes;
  private final boolean recyclable;
  private @Nullable KeyGeneration generation;
  private long base;

  private long writtenHlc;
  private int headersEnd;
  private int valuesFrom;
  private int writtenEntries;
  private Marks marks = new Marks(new long[8], new int[8], new int[8]);

  // Under the log's lock.
  private Marks publishedMarks = marks;
  private long lastHlc;
  private int headers;
  private int entries;
  private int pins;
  private boolean dropped;

  public Segment(ByteBuffer bytes, boolean recyclable) {
    this.bytes = bytes.order(ByteOrder.LITTLE_ENDIAN);
    this.recyclable = recyclable;
  }

  /** Empties it; {@code keys} is null when keys are to lie in the headers. */
  public Segment begin(long newBase, @Nullable KeyGeneration keys) {
    generation = keys;
    base = newBase;
    writtenHlc = newBase;
    headersEnd = 0;
    valuesFrom = bytes.capacity();
    writtenEntries = 0;
    dropped = false;
    publish();
    return this;
  }

  public static long bytesMax(byte[] key, byte @Nullable [] old) {
    return 3L * Varint.BYTES_MAX + key.length + (old == null ? 0 : old.length);
  }

  /** A segment made for one great entry has room for that one only. */
  public boolean hasRoomFor(long size) {
    return (recyclable || headersEnd == 0) && valuesFrom - headersEnd >= size;
  }

  /** Bytes that are written. */
  public int used() {
    return headersEnd + bytes.capacity() - valuesFrom;
  }

  int headersEnd() {
    return headersEnd;
  }

  int valuesFrom() {
    return valuesFrom;
  }

  /** Writes an entry with its key. */
  public void write(long hlc, byte[] key, byte @Nullable [] old) {
    int at = beginEntry(hlc);
    at = Varint.put(bytes, at, key.length);
    putShort(at, key);
    headersEnd = Varint.put(bytes, at + key.length, old == null ? 0 : old.length + 1L);
    if (old != null) {
      valuesFrom -= old.length;
      putShort(valuesFrom, old);
    }
  }

  /** Writes the entry that {@code entry} stands at, with the number of its key. */
  public void writeInterned(Cursor entry, int keyNumber) {
    int at = beginEntry(entry.hlc());
    at = Varint.put(bytes, at, keyNumber);
    headersEnd = Varint.put(bytes, at, entry.isAbsent() ? 0 : entry.oldLength() + 1L);
    if (!entry.isAbsent()) {
      valuesFrom -= entry.oldLength();
      bytes.put(valuesFrom, entry.bytes(), entry.oldAt(), entry.oldLength());
    }
  }

  /** A bulk copy costs more to begin than a short key takes word by word. */
  private void putShort(int at, byte[] key) {
    if (key.length > SHORT_BYTES_MAX) {
      bytes.put(at, key);
      return;
    }
    int i = 0;
    for (; i + Long.BYTES <= key.length; i += Long.BYTES) {
      bytes.putLong(at + i, (long) WORDS.get(key, i));
    }
    for (; i < key.length; i++) {
      bytes.put(at + i, key[i]);
    }
  }

  private int beginEntry(long hlc) {
    if (writtenEntries % MARK_ENTRIES == 0) {
      mark(writtenEntries / MARK_ENTRIES);
    }
    writtenEntries++;
    int at = Varint.put(bytes, headersEnd, hlc - writtenHlc);
    writtenHlc = hlc;
    return at;
  }

  /**
   * Takes over so many entries that lie in it already, and shows each. Throws {@link
   * IndexOutOfBoundsException} when they do not.
   */
  void adopt(int count, Consumer<Cursor> shown) {
    Cursor entry = new Cursor();
    mark(0);
    entry.open(new Part(this, bytes.capacity(), 1, marks, null), base);
    while (writtenEntries < count && entry.next()) {
      if (writtenEntries % MARK_ENTRIES == 0) {
        mark(writtenEntries / MARK_ENTRIES);
      }
      shown.accept(entry);
      writtenEntries++;
      writtenHlc = entry.hlc();
      headersEnd = entry.headerEnd();
      valuesFrom = entry.oldAt();
    }
    if (writtenEntries < count) {
      throw new IndexOutOfBoundsException(count);
    }
    publish();
  }

  private void mark(int mark) {
    marks = marks.withRoomFor(mark);
    marks.hlcs[mark] = writtenHlc;
    marks.headers[mark] = headersEnd;
    marks.values[mark] = valuesFrom;
  }

  /** Where time, headers and values stand every {@link #MARK_ENTRIES} entries. */
  private static final class Marks {
    private final long[] hlcs;
    private final int[] headers;
    private final int[] values;

    Marks(long[] hlcs, int[] headers, int[] values) {
      this.hlcs = hlcs;
      this.headers = headers;
      this.values = values;
    }

    /** Another one if need be: readers keep the one that they know. */
    Marks withRoomFor(int mark) {
      return mark < hlcs.length
          ? this
          : new Marks(
              Arrays.copyOf(hlcs, 2 * mark),
              Arrays.copyOf(headers, 2 * mark),
              Arrays.copyOf(values, 2 * mark));
    }
  }

  /** Lets others see what was written. */
  public void publish() {
    lastHlc = writtenHlc;
    headers = headersEnd;
    entries = writtenEntries;
    if (publishedMarks != marks) {
      publishedMarks = marks;
    }
  }

  ByteBuffer bytes() {
    return bytes;
  }

  /** Whose numbers its headers have; null: they have the keys themselves. */
  public @Nullable KeyGeneration generation() {
    return generation;
  }

  public long base() {
    return base;
  }

  public long lastHlc() {
    return lastHlc;
  }

  int entries() {
    return entries;
  }

  public int capacity() {
    return bytes.capacity();
  }

  public boolean isRecyclable() {
    return recyclable;
  }

  public void pin() {
    pins++;
  }

  public void unpin() {
    pins--;
  }

  /** The log has no use for it any more. */
  public void drop() {
    dropped = true;
  }

  public boolean isDropped() {
    return dropped;
  }

  public boolean isFree() {
    return recyclable && dropped && pins == 0;
  }

  public Part part() {
    KeyDictionary.View keys = generation == null ? null : generation.published();
    return new Part(this, headers, entries, publishedMarks, keys);
  }

  /**
   * What is published of a segment at some moment, and its keys then.
   *
   * @param after another part holds its entries up to here
   * @param upTo another part holds its entries behind this
   */
  public record Part(
      Segment segment,
      int headers,
      int entries,
      Marks marks,
      KeyDictionary.@Nullable View keys,
      long after,
      long upTo) {
    Part(
        Segment segment, int headers, int entries, Marks marks, KeyDictionary.@Nullable View keys) {
      this(segment, headers, entries, marks, keys, Long.MIN_VALUE, Long.MAX_VALUE);
    }

    public Part within(long newAfter, long newUpTo) {
      return new Part(segment, headers, entries, marks, keys, newAfter, newUpTo);
    }

    /** The last mark at which time had not passed {@code hlc}, or the first one. */
    int markBefore(long hlc) {
      int low = 0;
      int high = (entries + MARK_ENTRIES - 1) / MARK_ENTRIES;
      while (high - low > 1) {
        int middle = (low + high) >>> 1;
        if (marks.hlcs[middle] <= hlc) {
          low = middle;
        } else {
          high = middle;
        }
      }
      return low;
    }

    long markHlc(int mark) {
      return marks.hlcs[mark];
    }

    int markHeader(int mark) {
      return marks.headers[mark];
    }

    int markValue(int mark) {
      return marks.values[mark];
    }
  }
}
