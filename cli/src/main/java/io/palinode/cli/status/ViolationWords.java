package io.palinode.cli.status;

import com.fasterxml.jackson.databind.JsonNode;
import io.palinode.cli.options.TimeText;
import io.palinode.terminal.Wrap;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;

/** What the grades and outcomes in a list of violations mean. */
public final class ViolationWords {
  private static final Map<String, String> GRADES = grades();
  private static final Map<String, String> OUTCOMES = outcomes();

  /** Of more, the sentences would hide the table. */
  private static final int MEANINGS_MAX = 5;

  /** Of the 32 digits of a violation's ID; the API finds it by these if they are unique. */
  private static final int ID_DIGITS = 10;

  private ViolationWords() {}

  /** The digits of an ID that a narrow table shows. */
  public static String shortId(String id) {
    return id.length() <= ID_DIGITS ? id : id.substring(0, ID_DIGITS);
  }

  /**
   * {@code ID: meaning; end} of each of at most five violations, in lines of at most 100
   * characters; of more violations, the command that shows one meaning.
   */
  public static List<String> meanings(JsonNode violations) {
    if (violations.size() > MEANINGS_MAX) {
      return List.of(
          "meaning: 'palinode describe violation ID' explains the grade of one, with its times");
    }
    List<String> meanings = new ArrayList<>();
    for (JsonNode violation : violations) {
      if (violation.hasNonNull("meaning")) {
        meanings.add(
            Wrap.paragraph(
                shortId(violation.path("id").asText()) + ": ",
                violation.path("meaning").asText() + "; " + end(violation)));
      }
    }
    return meanings;
  }

  /** The grade's sentence is of the time when the violation was found. */
  private static String end(JsonNode violation) {
    return violation.hasNonNull("ended")
        ? "it ended at " + TimeText.of(violation.path("ended").asText())
        : "it holds";
  }

  /** One line for each grade and outcome that occurs in {@code violations}. */
  public static List<String> lines(JsonNode violations) {
    List<String> lines = new ArrayList<>(lines(GRADES, violations.findValuesAsText("grade")));
    lines.addAll(lines(OUTCOMES, violations.findValuesAsText("outcome")));
    for (JsonNode violation : violations) {
      if (violation.path("phantom").asBoolean()) {
        lines.add("phantom: it exists only because a replica lagged");
        break;
      }
    }
    return lines;
  }

  private static List<String> lines(Map<String, String> words, List<String> occurring) {
    TreeSet<String> found = new TreeSet<>(occurring);
    return words.entrySet().stream()
        .filter(word -> found.contains(word.getKey()))
        .map(word -> word.getKey() + ": " + word.getValue())
        .toList();
  }

  private static Map<String, String> grades() {
    Map<String, String> grades = new LinkedHashMap<>();
    grades.put("definite", "it occurred, even if clocks differ");
    grades.put("possible", "it may have occurred; the recorded clocks do not decide it");
    grades.put("uncertain", "only the difference that clocks may have makes it possible");
    return grades;
  }

  private static Map<String, String> outcomes() {
    Map<String, String> outcomes = new LinkedHashMap<>();
    outcomes.put("rollback", "its rollback waits, is open, or is done");
    outcomes.put("covered", "a rollback for another violation also discarded this one");
    outcomes.put("rejected", "an operator rejected its rollback; it stands");
    outcomes.put("over_budget", "its predicate's budget of rollbacks was spent; it stands");
    outcomes.put("abandoned", "an operator abandoned its rollback; it stands");
    outcomes.put("restarted", "its rollback ended in a restart; it stands");
    outcomes.put(
        "stands", "it held when its epoch began, and may hold on every cut that can be restored");
    outcomes.put("too_late", "it was published after the safe point had passed it; it stands");
    outcomes.put("no_rollback", "its predicate requests no rollback, or none at this grade");
    outcomes.put("waiting", "its predicate is not known yet");
    outcomes.put("expired", "its predicate was not known within 5 s; it was dropped");
    return outcomes;
  }
}
