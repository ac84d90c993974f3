package io.palinode.detection.file;

import io.palinode.predicate.Clause;
import io.palinode.predicate.Predicate;
import io.palinode.predicate.form.Predicates;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * A predicate as it was read.
 *
 * @param isNamed whether it says its name; the paper's XML does not, and is called after its file
 */
public record PredicateFile(Predicate predicate, boolean isNamed) {
  /** Throws {@link io.palinode.predicate.text.PredicateException} for what is not a predicate. */
  public static PredicateFile read(Path file) throws IOException {
    Predicate predicate = Predicates.read(file);
    String elsewhere = Predicates.parse(Files.readString(file), "x" + file.getFileName()).name();
    return new PredicateFile(predicate, predicate.name().equals(elsewhere));
  }

  public List<Clause> clauses() {
    return predicate.violation();
  }
}
