package io.palinode.predicate.lint;

import io.palinode.predicate.PredicateLimits;
import io.palinode.predicate.form.Predicates;
import io.palinode.predicate.form.Written;
import io.palinode.predicate.text.Place;
import io.palinode.predicate.text.PredicateException;
import io.palinode.predicate.text.Spelling;
import io.palinode.predicate.text.Word;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Set;

/**
 * Finds what is valid but most likely a mistake. Each finding states a fact about the given
 * predicates. Pure, except that it reads the file.
 */
public final class Lint {
  private Lint() {}

  /** What is looked for. */
  public enum Check {
    ONLY_SIBLINGS,
    REPEATED_TERM,
    REPEATED_CLAUSE,
    IMPLIED_CLAUSE,
    EPSILON_ZERO,
    EPSILON_LARGE,
    ROLLBACK_ON_DEFINITE,
    ROLLBACK_ON_UNCERTAIN,
    ROLLBACK_MAY_FLAP,
    DIVERGED_SOON,
    AMBIGUOUS_KEY,
    WATCHES_EVERY_KEY;

    /** {@code only-siblings}. */
    public String word() {
      return Word.of(this);
    }

    /** Throws {@link IllegalArgumentException} with the nearest word for what is none. */
    public static Check of(String word) {
      List<String> words = words();
      int found = words.indexOf(word);
      if (found < 0) {
        throw new IllegalArgumentException(
            "a finding must be one of "
                + String.join(", ", words)
                + ": '"
                + word
                + "'"
                + Spelling.hint(word, words));
      }
      return values()[found];
    }

    public static List<String> words() {
      return Arrays.stream(values()).map(Check::word).toList();
    }
  }

  /**
   * Something that was found.
   *
   * @param place {@code source:line:column}
   * @param sentence what is so
   * @param wayOut what to write instead
   */
  public record Finding(
      Check check, String predicate, String place, String sentence, String wayOut) {
    Finding(Check check, Written written, Place place, String sentence, String wayOut) {
      this(check, written.predicate().name(), place.toString(), sentence, wayOut);
    }
  }

  /** As {@link #of(String, String, Set)}, from a file. */
  public static List<Finding> of(Path file, Set<Check> ignored, PredicateLimits limits)
      throws IOException {
    return findings(Predicates.readWritten(file, limits), ignored);
  }

  /**
   * In the order of the predicates. Throws {@link PredicateException} for a text that is not valid
   * predicates.
   */
  public static List<Finding> of(String text, String source, Set<Check> ignored) {
    return of(text, source, ignored, PredicateLimits.DEFAULT);
  }

  /** As {@link #of(String, String, Set)}, within other limits. */
  public static List<Finding> of(
      String text, String source, Set<Check> ignored, PredicateLimits limits) {
    return findings(Predicates.parseWritten(text, source, limits), ignored);
  }

  private static List<Finding> findings(List<Written> all, Set<Check> ignored) {
    List<Finding> findings = new ArrayList<>();
    for (Written written : all) {
      List<Finding> ofOne = new ArrayList<>();
      ofOne.addAll(SettingLint.findings(written));
      ofOne.addAll(ClauseLint.findings(written));
      ofOne.addAll(KeyLint.findings(written, all));
      ofOne.removeIf(finding -> ignored.contains(finding.check()));
      ofOne.sort(Comparator.comparing(Finding::check));
      findings.addAll(ofOne);
    }
    return findings;
  }
}
