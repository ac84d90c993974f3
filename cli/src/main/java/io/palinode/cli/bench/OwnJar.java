package io.palinode.cli.bench;

import io.palinode.terminal.Refusal;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A jar of Palinode for another server, in a release or in a build. */
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

  private static Path required(Path file, String option) {
    if (!Files.isRegularFile(file)) {
      throw new Refusal("%s must name Palinode's jar: there is no %s".formatted(option, file));
    }
    return file.toAbsolutePath();
  }
}
