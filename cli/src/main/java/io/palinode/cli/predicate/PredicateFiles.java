package io.palinode.cli.predicate;

import io.palinode.predicate.Predicate;
import io.palinode.predicate.PredicateLimits;
import io.palinode.predicate.form.Predicates;
import io.palinode.terminal.Refusal;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import picocli.CommandLine.Option;

/** The predicates of files; a picocli mixin. */
final class PredicateFiles {
  private static final Path STDIN = Path.of("/dev/stdin");

  @Option(
      names = {"-f", "--file"},
      required = true,
      paramLabel = "FILE",
      description =
          "Predicates as YAML or XML. A folder: its files *.yaml, *.yml and *.xml. -: standard"
              + " input. Repeatable.")
  private List<Path> files = List.of();

  /** In the order of the files. Throws {@link Refusal} if two have one name. */
  List<Predicate> read() throws IOException {
    Map<String, Path> owners = new LinkedHashMap<>();
    List<Predicate> all = new ArrayList<>();
    for (Path file : documents()) {
      for (Predicate predicate : Predicates.readAll(file, PredicateLimits.CEILING)) {
        Path other = owners.put(predicate.name(), file);
        if (other != null) {
          throw new Refusal(
              "predicate '%s' is in two files: %s and %s".formatted(predicate.name(), other, file));
        }
        all.add(predicate);
      }
    }
    return all;
  }

  /** The names of the files, for messages. */
  @Override
  public String toString() {
    return String.join(", ", files.stream().map(Path::toString).toList());
  }

  private List<Path> documents() throws IOException {
    List<Path> documents = new ArrayList<>();
    for (Path file : files) {
      if (Files.isDirectory(file)) {
        documents.addAll(documents(file));
      } else {
        documents.add(file.toString().equals("-") ? STDIN : file);
      }
    }
    return documents;
  }

  private static List<Path> documents(Path folder) throws IOException {
    try (Stream<Path> entries = Files.list(folder)) {
      List<Path> found =
          entries
              .filter(entry -> entry.getFileName().toString().matches(".*\\.(ya?ml|xml)"))
              .filter(Files::isRegularFile)
              .sorted()
              .toList();
      if (found.isEmpty()) {
        throw new Refusal("there is no *.yaml, *.yml or *.xml in " + folder);
      }
      return found;
    }
  }
}
