package io.palinode.retroscope.segment;

import io.palinode.retroscope.segment.Segment.Part;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** Goes over the entries of pinned segments and allocates nothing meanwhile. */
public final class Cursor {
  private ByteBuffer bytes = ByteBuffer.allocate(0);
  private KeyDictionary.@Nullable View keys;
  private boolean interned;
  private int next;
  private int end;

  private int headerAt;
  private long hlc;
  private int keyNumber;
  private int keyAt;
  private int keyLength;
  private int oldAt;
  private int oldLength;

  /** Before the first entry after {@code after}, or some entries before that. */
  public void open(Part part, long after) {
    enter(part);
    end = part.headers();
    next = 0;
    hlc = part.segment().base();
    oldAt = bytes.capacity();
    if (part.entries() > 0) {
      int mark = part.markBefore(after);
      next = part.markHeader(mark);
      hlc = part.markHlc(mark);
      oldAt = part.markValue(mark);
    }
  }

  /** Steps to the next entry; false: there is none. */
  public boolean next() {
    if (next >= end) {
      return false;
    }
    headerAt = next;
    hlc += varint();
    readHeader();
    oldAt -= Math.max(0, oldLength);
    return true;
  }

  /** Goes to the entry of which {@link #place} was asked; its time is not known then. */
  public void moveTo(Part part, long place) {
    enter(part);
    next = (int) (place >>> 20) & (Segment.BYTES_MAX - 1);
    varint();
    readHeader();
    oldAt =
        part.segment().isRecyclable()
            ? (int) place & (Segment.BYTES_MAX - 1)
            : bytes.capacity() - Math.max(0, oldLength);
  }

  /** Where the entry is, in 40 bits. */
  public long place() {
    return (long) headerAt << 20 | (oldAt & (Segment.BYTES_MAX - 1));
  }

  private void enter(Part part) {
    bytes = part.segment().bytes();
    keys = part.keys();
    interned = keys != null;
  }

  private void readHeader() {
    if (interned) {
      keyNumber = (int) varint();
    } else {
      keyLength = (int) varint();
      keyAt = next;
      next += keyLength;
    }
    oldLength = (int) varint() - 1;
  }

  private long varint() {
    byte b = bytes.get(next++);
    long value = b & 0x7F;
    for (int shift = 7; b < 0; shift += 7) {
      b = bytes.get(next++);
      value |= (long) (b & 0x7F) << shift;
    }
    return value;
  }

  public long hlc() {
    return hlc;
  }

  int headerAt() {
    return headerAt;
  }

  int headerEnd() {
    return next;
  }

  /** Where the key is when it is not interned. */
  public int keyAt() {
    return keyAt;
  }

  public int keyLength() {
    return keyLength;
  }

  boolean isInterned() {
    return interned;
  }

  public int keyNumber() {
    return keyNumber;
  }

  public ByteBuffer bytes() {
    return bytes;
  }

  boolean isAbsent() {
    return oldLength < 0;
  }

  int oldAt() {
    return oldAt;
  }

  public int oldLength() {
    return oldLength;
  }

  public byte[] copyKey() {
    if (keys != null) {
      return keys.copy(keyNumber);
    }
    byte[] key = new byte[keyLength];
    bytes.get(keyAt, key);
    return key;
  }

  public byte @Nullable [] copyOld() {
    if (isAbsent()) {
      return null;
    }
    byte[] old = new byte[oldLength];
    bytes.get(oldAt, old);
    return old;
  }
}
