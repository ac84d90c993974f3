package io.palinode.terminal;

import java.util.ArrayList;
import java.util.List;

/**
 * Columns of text, as wide as their widest cell; the first column is aligned to the left, the
 * others by {@code align}.
 */
public final class TextTable {
  /** Where the cells of the columns after the first stand. */
  public enum Align {
    LEFT,
    RIGHT
  }

  private final Align align;
  private final List<List<String>> rows = new ArrayList<>();

  public TextTable(Align align, List<String> header) {
    this.align = align;
    rows.add(header);
  }

  public TextTable row(List<String> cells) {
    if (cells.size() != rows.get(0).size()) {
      throw new IllegalArgumentException(
          "a row has a cell for each column: header=" + rows.get(0) + " row=" + cells);
    }
    rows.add(cells);
    return this;
  }

  /** Lines with a newline each. */
  public String render() {
    int columns = rows.get(0).size();
    int[] width = new int[columns];
    for (List<String> row : rows) {
      for (int c = 0; c < columns; c++) {
        width[c] = Math.max(width[c], row.get(c).length());
      }
    }
    StringBuilder text = new StringBuilder();
    for (List<String> row : rows) {
      StringBuilder line = new StringBuilder();
      for (int c = 0; c < columns; c++) {
        String pad = " ".repeat(width[c] - row.get(c).length());
        line.append(c == 0 ? "" : "  ");
        line.append(c == 0 || align == Align.LEFT ? row.get(c) + pad : pad + row.get(c));
      }
      text.append(line.toString().stripTrailing()).append('\n');
    }
    return text.toString();
  }
}
