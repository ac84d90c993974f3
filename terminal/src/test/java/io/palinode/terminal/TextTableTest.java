package io.palinode.terminal;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class TextTableTest {
  private static final String LONG = "word ".repeat(30).strip();

  @Test
  void columnsAreAsWideAsTheirWidestCell() {
    TextTable table = new TextTable(TextTable.Align.RIGHT, List.of("NAME", "KEYS"));
    assertThat(table.row(List.of("a", "12")).row(List.of("later", "3")).render())
        .isEqualTo("NAME   KEYS\na        12\nlater     3\n");
  }

  @Test
  void aTableThatFitsIsNotWrapped() {
    TextTable table = new TextTable(TextTable.Align.LEFT, List.of("NAME", "WHY")).wrap("WHY");
    assertThat(table.row(List.of("a", "b c")).render()).isEqualTo("NAME  WHY\na     b c\n");
  }

  @Test
  void onlyColumnsThatMayWrapBecomeNarrower() {
    String id = "x".repeat(70);
    TextTable table = new TextTable(TextTable.Align.LEFT, List.of("WHY", "ID")).wrap("WHY");
    List<String> lines = table.row(List.of(LONG, id)).render().lines().toList();
    assertThat(lines).allSatisfy(line -> assertThat(line.length()).isLessThanOrEqualTo(100));
    assertThat(lines.get(1)).isEqualTo("word word word word word      " + id);
    assertThat(lines.get(2)).isEqualTo("word word word word word");
  }

  @Test
  void theWidestOfThoseBecomesNarrowerFirst() {
    TextTable table = new TextTable(TextTable.Align.LEFT, List.of("A", "B")).wrap("A", "B");
    String text = table.row(List.of("a few words here", LONG)).render();
    assertThat(text).contains("a few words here  word");
    assertThat(text.lines()).allSatisfy(line -> assertThat(line.length()).isLessThan(101));
  }

  @Test
  void withoutColumnsThatMayWrapALineIsAsLongAsItsCells() {
    TextTable table = new TextTable(TextTable.Align.LEFT, List.of("WHY"));
    assertThat(table.row(List.of(LONG)).render()).isEqualTo("WHY\n" + LONG + "\n");
  }

  @Test
  void onANarrowTerminalOptionalColumnsAreLeftOutAndNamed() {
    TextTable table =
        new TextTable(TextTable.Align.LEFT, List.of("NAME", "AT", "WHY", "ID"))
            .wrap("WHY")
            .optional("AT", "NAME")
            .within(40);
    String at = "x".repeat(27);
    assertThat(table.row(List.of("some-name", at, "a few words", "12")).render())
        .isEqualTo(
            """
            NAME       WHY          ID
            some-name  a few words  12
            not shown on 40 columns: AT; -o wide shows all
            """);
    assertThat(table.row(List.of("b", at, "c", "1")).render())
        .as("the columns of later rows are the same, and not named again")
        .isEqualTo("b          c            1\n");
  }

  @Test
  void theColumnsOfATerminalAreBounded() {
    assertThat(Wrap.columns(null)).isEqualTo(100);
    assertThat(Wrap.columns("80")).isEqualTo(80);
    assertThat(Wrap.columns("12")).isEqualTo(40);
    assertThat(Wrap.columns("240")).isEqualTo(100);
    assertThat(Wrap.columns("0")).isEqualTo(100);
    assertThat(Wrap.columns("wide")).isEqualTo(100);
  }

  @Test
  void laterRowsAreRenderedWithoutTheHeaderAndAsWide() {
    TextTable table = new TextTable(TextTable.Align.LEFT, List.of("NAME", "KEYS"));
    assertThat(table.row(List.of("later", "3")).render()).isEqualTo("NAME   KEYS\nlater  3\n");
    assertThat(table.row(List.of("a", "1")).render()).isEqualTo("a      1\n");
  }
}
