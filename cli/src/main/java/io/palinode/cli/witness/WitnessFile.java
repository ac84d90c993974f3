package io.palinode.cli.witness;

import io.palinode.cli.terminal.Refusal;
import io.palinode.detection.witness.PortableWitness;
import io.palinode.detection.witness.WitnessFormatException;
import io.palinode.detection.witness.WitnessJson;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Reads a witness from a file, or from what {@code -} stands for. */
final class WitnessFile {
  /** A predicate may be as large as 4 MiB, and is escaped. */
  private static final int BYTES_MAX = 64 << 20;

  private WitnessFile() {}

  /**
   * Throws {@link Refusal} with the place for what is no witness, and what the file system says.
   */
  static PortableWitness read(String file, InputStream standardInput) throws FileSystemException {
    try {
      return WitnessJson.read(text(file, standardInput), file);
    } catch (WitnessFormatException e) {
      throw new Refusal(String.valueOf(e.getMessage()), e);
    } catch (CharacterCodingException e) {
      throw new Refusal(file + ": a witness must be in UTF-8", e);
    } catch (FileSystemException e) {
      throw e;
    } catch (IOException e) {
      throw new Refusal("cannot read " + file + ": " + e.getMessage(), e);
    }
  }

  private static String text(String file, InputStream standardInput) throws IOException {
    byte[] bytes;
    try (InputStream in = file.equals("-") ? standardInput : Files.newInputStream(Path.of(file))) {
      bytes = in.readNBytes(BYTES_MAX + 1);
    }
    if (bytes.length > BYTES_MAX) {
      throw new IOException("a witness must have at most " + BYTES_MAX + " bytes: it has more");
    }
    return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
  }
}
