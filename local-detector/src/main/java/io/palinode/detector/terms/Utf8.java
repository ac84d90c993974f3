package io.palinode.detector.terms;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Bytes as text. */
final class Utf8 {
  private Utf8() {}

  /** Null when {@code bytes} are not UTF-8. */
  static @Nullable String decode(byte[] bytes) {
    String text = new String(bytes, UTF_8);
    // Only a malformed input, or a replacement character that was really there, decodes to U+FFFD.
    boolean suspect = text.indexOf('\uFFFD') >= 0;
    return suspect && !Arrays.equals(text.getBytes(UTF_8), bytes) ? null : text;
  }
}
