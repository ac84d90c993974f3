package io.palinode.cli.witness;

import io.palinode.detection.witness.PortableWitness;
import io.palinode.detection.witness.WitnessFormatException;
import io.palinode.detection.witness.WitnessJson;
import io.palinode.terminal.Refusal;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Reads a witness from a file, or from what {@code -} stands for. */
public final class WitnessFile {
  /** A predicate may be as large as 4 MiB, and is escaped. */
  private static final int BYTES_MAX = 64 << 20;

  private WitnessFile() {}

  /**
   * Throws {@link Refusal} with the place for what is no witness, and what the file system says.
   */
  public static PortableWitness read(String file, InputStream standardInput)
      throws FileSystemException {
    try (InputStream in = file.equals("-") ? standardInput : Files.newInputStream(Path.of(file))) {
      return parse(file, in);
    } catch (FileSystemException e) {
      throw e;
    } catch (IOException e) {
      throw new Refusal("cannot read " + file + ": " + e.getMessage(), e);
    }
  }

  /** As {@link #read}, of what {@code in} holds; {@code source} names it. */
  public static PortableWitness parse(String source, InputStream in) throws IOException {
    try {
      return WitnessJson.read(text(in), source);
    } catch (WitnessFormatException e) {
      throw new Refusal(String.valueOf(e.getMessage()), e);
    } catch (CharacterCodingException e) {
      throw new Refusal(source + ": a witness must be in UTF-8", e);
    }
  }

  private static String text(InputStream in) throws IOException {
    byte[] bytes = in.readNBytes(BYTES_MAX + 1);
    if (bytes.length > BYTES_MAX) {
      throw new IOException("a witness must have at most " + BYTES_MAX + " bytes: it has more");
    }
    return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
  }
}
