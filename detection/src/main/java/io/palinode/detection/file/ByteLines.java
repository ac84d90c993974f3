package io.palinode.detection.file;

import io.palinode.predicate.text.Abridged;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;

/** The lines of a stream, one after the other, without a copy of each. For one thread. */
final class ByteLines {
  static final int LINE_BYTES_MAX = 16 << 20;
  private static final int START_BYTES = 1 << 10;
  private static final int BUFFER_BYTES = 1 << 16;

  private final InputStream in;
  private byte[] buffer = new byte[BUFFER_BYTES];
  private int filled;
  private int from;
  private int to = -1;
  private boolean ended;
  private long bytes;

  ByteLines(InputStream in) {
    this.in = in;
  }

  /** Moves to the next line; false after the last one. Throws for one that is too long. */
  boolean next() throws IOException {
    from = to + 1;
    int searched = from;
    while (true) {
      to = lineEnd(searched);
      if (to < filled) {
        requireShort(to - from);
        return true;
      }
      requireShort(filled - from);
      if (ended) {
        return from < filled;
      }
      searched = filled - from;
      fill();
    }
  }

  /** The place of the next end of a line; all that is filled if there is none. */
  private int lineEnd(int searched) {
    byte[] in = buffer;
    int at = searched;
    while (at < filled && in[at] != '\n') {
      at++;
    }
    return at;
  }

  /** Reads more behind what is left, which moves to the front. */
  private void fill() throws IOException {
    int left = filled - from;
    byte[] roomy = left > buffer.length / 2 ? new byte[2 * buffer.length] : buffer;
    System.arraycopy(buffer, from, roomy, 0, left);
    buffer = roomy;
    from = 0;
    int read = in.read(buffer, left, buffer.length - left);
    ended = read < 0;
    filled = left + Math.max(0, read);
    bytes += Math.max(0, read);
  }

  private void requireShort(int length) {
    if (length > LINE_BYTES_MAX) {
      String start = new String(buffer, from, START_BYTES, StandardCharsets.UTF_8);
      throw new IllegalArgumentException(
          "a line must have at most " + LINE_BYTES_MAX + " bytes: " + Abridged.of(start));
    }
  }

  /** How many bytes were read so far. */
  long bytes() {
    return bytes;
  }

  boolean isBlank() {
    for (int i = from; i < to; i++) {
      if (buffer[i] > ' ' || buffer[i] < 0) {
        return false;
      }
    }
    return true;
  }

  void readInto(LineFields fields) {
    int end = to;
    while (buffer[end - 1] <= ' ' && buffer[end - 1] >= 0) {
      end--;
    }
    fields.read(buffer, from, end);
  }

  boolean isUtf8() {
    try {
      StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(buffer, from, to - from));
      return true;
    } catch (CharacterCodingException e) {
      return false;
    }
  }
}
