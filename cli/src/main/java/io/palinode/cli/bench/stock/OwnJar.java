package io.palinode.cli.bench.stock;

import io.palinode.terminal.Refusal;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.jar.JarFile;
import java.util.zip.ZipException;
import org.jspecify.annotations.Nullable;

/** Finds a jar of Palinode for another server, or of that server. */
final class OwnJar {
  private OwnJar() {}

  /**
   * The file that is named; else one of {@code places}, from a folder above this command's own jar.
   * Throws {@link Refusal} with the option if there is none.
   */
  static Path find(@Nullable Path named, String option, List<String> places)
      throws URISyntaxException {
    if (named != null) {
      return required(named, option);
    }
    Path own = Path.of(OwnJar.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    for (Path above = own.getParent(); above != null; above = above.getParent()) {
      for (String place : places) {
        if (Files.isRegularFile(above.resolve(place))) {
          return above.resolve(place);
        }
      }
    }
    return required(Path.of(places.get(0)), option);
  }

  /** A jar of another maker with this class. Throws {@link Refusal} with the option if not. */
  static Path holding(Path file, String option, String entry) throws IOException {
    if (!Files.isRegularFile(file)) {
      throw new Refusal("%s must name a jar: there is no %s".formatted(option, file));
    }
    try (JarFile jar = new JarFile(file.toFile())) {
      if (jar.getEntry(entry) == null) {
        throw new Refusal("%s must name a jar with %s: %s has none".formatted(option, entry, file));
      }
    } catch (ZipException e) {
      throw new Refusal("%s must name a jar: %s is none".formatted(option, file), e);
    }
    return file.toAbsolutePath();
  }

  private static Path required(Path file, String option) {
    if (!Files.isRegularFile(file)) {
      throw new Refusal("%s must name Palinode's jar: there is no %s".formatted(option, file));
    }
    return file.toAbsolutePath();
  }
}
