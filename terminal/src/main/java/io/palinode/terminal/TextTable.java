package io.palinode.terminal;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;

/**
 * Columns of text, as wide as their widest cell; the first column is aligned to the left, the
 * others by {@code align}. Cells of columns that may {@link #wrap} continue on further lines.
 */
public final class TextTable {
  /** Where the cells of the columns after the first stand. */
  public enum Align {
    LEFT,
    RIGHT
  }

  private static final String GAP = "  ";

  /** A column that wraps is not made narrower. */
  private static final int WRAPPED_MIN = 8;

  private final Align align;
  private final List<String> header;
  private final List<List<String>> rows = new ArrayList<>();
  private final List<Integer> wrapping = new ArrayList<>();
  private final int[] widths;

  public TextTable(Align align, List<String> header) {
    this.align = align;
    this.header = header;
    this.widths = new int[header.size()];
    add(header);
  }

  /**
   * Narrows the columns {@code headings} until lines have {@link Wrap#COLUMNS} characters; the
   * other columns keep their widths.
   */
  public TextTable wrap(String... headings) {
    for (String heading : headings) {
      wrapping.add(header.indexOf(heading));
    }
    return this;
  }

  public TextTable row(List<String> cells) {
    if (cells.size() != header.size()) {
      throw new IllegalArgumentException(
          "a row has a cell for each column: header=" + header + " row=" + cells);
    }
    add(cells);
    return this;
  }

  private void add(List<String> cells) {
    rows.add(cells);
    for (int c = 0; c < widths.length; c++) {
      widths[c] = Math.max(widths[c], cells.get(c).length());
    }
  }

  /**
   * Returns the header and all rows, or the rows since the last call, as lines with a newline each.
   */
  public String render() {
    int[] fitting = fitting();
    StringBuilder text = new StringBuilder();
    for (List<String> row : rows) {
      List<List<String>> cells = new ArrayList<>();
      for (int c = 0; c < fitting.length; c++) {
        cells.add(Wrap.lines(row.get(c), fitting[c]));
      }
      int lines = cells.stream().mapToInt(List::size).max().orElse(0);
      for (int i = 0; i < lines; i++) {
        text.append(line(cells, i, fitting)).append('\n');
      }
    }
    rows.clear();
    return text.toString();
  }

  private String line(List<List<String>> cells, int index, int[] fitting) {
    StringBuilder line = new StringBuilder();
    for (int c = 0; c < fitting.length; c++) {
      String cell = index < cells.get(c).size() ? cells.get(c).get(index) : "";
      String pad = " ".repeat(fitting[c] - cell.length());
      line.append(c == 0 ? "" : GAP);
      line.append(c == 0 || align == Align.LEFT ? cell + pad : pad + cell);
    }
    return line.toString().stripTrailing();
  }

  private int[] fitting() {
    int[] fitting = widths.clone();
    int all = Arrays.stream(fitting).sum() + GAP.length() * (fitting.length - 1);
    for (int excess = all - Wrap.COLUMNS; excess > 0; excess--) {
      int widest = wrapping.stream().max(Comparator.comparingInt(c -> fitting[c])).orElse(-1);
      if (widest < 0 || fitting[widest] <= WRAPPED_MIN) {
        break;
      }
      fitting[widest]--;
    }
    return fitting;
  }
}
