package io.palinode.terminal;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class WrapTest {
  @Test
  void aShortTextIsOneLine() {
    assertThat(Wrap.lines("", 5)).containsExactly("");
    assertThat(Wrap.lines("a b c", 5)).containsExactly("a b c");
  }

  @Test
  void aLineEndsAtASpaceIfThereIsOne() {
    assertThat(Wrap.lines("3 min ago", 5)).containsExactly("3 min", "ago");
    assertThat(Wrap.lines("a-b cc-dd ee", 7)).containsExactly("a-b", "cc-dd", "ee");
  }

  @Test
  void aTextWithoutSpacesIsBrokenBehindAMarkElseWhereTheLineIsFull() {
    assertThat(Wrap.lines("a=12,b=117", 8)).containsExactly("a=12,b=", "117");
    assertThat(Wrap.lines("a=12,b=117", 6)).containsExactly("a=12,", "b=117");
    assertThat(Wrap.lines("abcdefgh", 3)).containsExactly("abc", "def", "gh");
  }

  @Test
  void aParagraphKeepsTo100ColumnsBehindItsName() {
    String text = "word ".repeat(40).strip();
    assertThat(Wrap.paragraph("name  ", text).lines())
        .hasSize(3)
        .allSatisfy(line -> assertThat(line.length()).isLessThanOrEqualTo(100))
        .satisfies(
            lines -> assertThat(lines.get(0)).startsWith("name  word word"),
            lines -> assertThat(lines.get(1)).startsWith("      word word"));
  }
}
