package io.palinode.benchmarks.stock;

import java.io.IOException;
import java.io.Serial;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;

/**
 * Thrown when the stock server of a folder does not start. The message names the folder, the cause
 * as far as its log shows it, and the way out.
 */
public final class StockStartException extends IOException {
  @Serial private static final long serialVersionUID = 1L;

  /** A class as the virtual machine names one that is not there: with slashes, or with dots. */
  private static final Pattern NO_CLASS =
      Pattern.compile("(?:NoClassDefFoundError|ClassNotFoundException): ([\\w$]+(?:[./][\\w$]+)+)");

  private static final Pattern TOO_NEW =
      Pattern.compile("UnsupportedClassVersionError: ([\\w$]+(?:[./][\\w$]+)+)");

  StockStartException(Path folder, NotServingException why) {
    super("the stock Voldemort in " + folder + " does not start: " + reason(why), why);
  }

  private static String reason(NotServingException why) {
    List<String> classes = named(NO_CLASS, why.log());
    if (!classes.isEmpty()) {
      return "it lacks the class %s. Put the library that has it below that folder (Voldemort's own './gradlew copyDeps' puts all that it needs into 'lib'), and run this again"
          .formatted(String.join(", ", classes));
    }
    List<String> tooNew = named(TOO_NEW, why.log());
    if (!tooNew.isEmpty()) {
      return "its class %s was compiled for a newer Java than %s. Compile it for this one, or run this with a newer Java"
          .formatted(tooNew.get(0), Runtime.version().feature());
    }
    return "%s. Start it by hand with its own configuration until it serves, then run this again. Its log ends:%n%s"
        .formatted(
            why.isAlive()
                ? "it serves nothing within " + ServerProgram.START_MAX.toSeconds() + " s"
                : "it ended",
            NotServingException.end(why.log()));
  }

  private static List<String> named(Pattern failure, List<String> log) {
    return log.stream()
        .flatMap(line -> failure.matcher(line).results())
        .map(found -> found.group(1).replace('/', '.'))
        .distinct()
        .toList();
  }
}
