package io.palinode.cli.explain;

import io.palinode.detection.explain.Topic;
import java.util.List;

/** Topics for a terminal: their names in a column, their sentences filled beside it. */
final class Layout {
  static final int COLUMNS = 100;
  private static final int MARGIN = 14;

  private Layout() {}

  /** Lines with a newline each, at most {@link #COLUMNS} long except for longer words. */
  static String of(String title, List<Topic> topics) {
    StringBuilder text = new StringBuilder(title).append('\n');
    for (Topic topic : topics) {
      String head = "  " + topic.name();
      for (String sentence : topic.sentences()) {
        fill(text, head, sentence);
        head = "";
      }
    }
    return text.toString();
  }

  private static void fill(StringBuilder text, String head, String sentence) {
    StringBuilder line = new StringBuilder(head).append(" ".repeat(MARGIN - head.length()));
    boolean begun = false;
    for (String word : sentence.split(" ", -1)) {
      if (begun && line.length() + 1 + word.length() > COLUMNS) {
        text.append(line.toString().stripTrailing()).append('\n');
        line = new StringBuilder(" ".repeat(MARGIN));
        begun = false;
      }
      line.append(begun ? " " : "").append(word);
      begun = true;
    }
    text.append(line.toString().stripTrailing()).append('\n');
  }
}
