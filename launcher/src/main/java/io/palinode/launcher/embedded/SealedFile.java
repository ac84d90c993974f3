package io.palinode.launcher.embedded;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.zip.CRC32C;

/**
 * A file whose content is checked before any of it is used. Numbers are big-endian.
 *
 * <pre>
 * | "PSEALED" | version u8 = 1 | content | CRC-32C of the content i32 |
 * </pre>
 */
final class SealedFile {
  static final int HEADER_BYTES = 8;
  static final int SEAL_BYTES = Integer.BYTES;

  private static final byte VERSION = 1;
  private static final byte[] HEADER =
      ByteBuffer.allocate(HEADER_BYTES)
          .put("PSEALED".getBytes(StandardCharsets.US_ASCII))
          .put(VERSION)
          .array();
  private static final int PIECE_BYTES = 1 << 16;

  private SealedFile() {}

  static byte[] header() {
    return HEADER.clone();
  }

  static byte[] seal(CRC32C content) {
    return ByteBuffer.allocate(SEAL_BYTES).putInt((int) content.getValue()).array();
  }

  /** Reads the whole file. Throws {@link IOException} that names it if it is damaged or cut. */
  static void verify(Path file) throws IOException {
    try (InputStream in = new BufferedInputStream(Files.newInputStream(file), PIECE_BYTES)) {
      long left = Files.size(file) - HEADER_BYTES - SEAL_BYTES;
      if (left < 0 || !Arrays.equals(HEADER, in.readNBytes(HEADER_BYTES))) {
        throw damaged(file);
      }
      CRC32C crc = new CRC32C();
      while (left > 0) {
        byte[] piece = in.readNBytes((int) Math.min(left, PIECE_BYTES));
        if (piece.length == 0) {
          throw damaged(file);
        }
        crc.update(piece, 0, piece.length);
        left -= piece.length;
      }
      if (!Arrays.equals(seal(crc), in.readAllBytes())) {
        throw damaged(file);
      }
    }
  }

  private static IOException damaged(Path file) {
    return new IOException("the file %s is damaged or incomplete".formatted(file));
  }
}
