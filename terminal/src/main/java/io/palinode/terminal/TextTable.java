package io.palinode.terminal;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Columns of text, as wide as their widest cell; the first column is aligned to the left, the
 * others by {@code align}. Cells of columns that may {@link #wrap} continue on further lines.
 * {@link #optional} columns are left out if the others would not fit.
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
  private final List<Integer> optional = new ArrayList<>();
  private final int[] widths;
  private int columnsMax = Wrap.COLUMNS;

  /** The indices of the columns that are not left out; null: nothing was rendered yet. */
  private @Nullable List<Integer> shown;

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

  /**
   * Leaves out the columns {@code headings}, in this order, until the lines fit. A line below the
   * first rows names them.
   */
  public TextTable optional(String... headings) {
    for (String heading : headings) {
      optional.add(header.indexOf(heading));
    }
    return this;
  }

  /** Fits lines into {@code columns} instead of {@link Wrap#COLUMNS}. */
  public TextTable within(int columns) {
    columnsMax = columns;
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
    List<Integer> earlier = shown;
    List<Integer> columns = earlier == null ? shown() : earlier;
    shown = columns;
    int[] fitting = fitting(columns);
    StringBuilder text = new StringBuilder();
    for (List<String> row : rows) {
      List<List<String>> cells = new ArrayList<>();
      for (int i = 0; i < fitting.length; i++) {
        cells.add(Wrap.lines(row.get(columns.get(i)), fitting[i]));
      }
      int lines = cells.stream().mapToInt(List::size).max().orElse(0);
      for (int i = 0; i < lines; i++) {
        text.append(line(cells, i, fitting)).append('\n');
      }
    }
    rows.clear();
    return earlier == null ? text + leftOut(columns) : text.toString();
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

  private List<Integer> shown() {
    List<Integer> columns = new ArrayList<>(IntStream.range(0, widths.length).boxed().toList());
    for (Integer least : optional) {
      int[] narrowest =
          columns.stream()
              .mapToInt(c -> wrapping.contains(c) ? Math.min(widths[c], WRAPPED_MIN) : widths[c])
              .toArray();
      if (excess(narrowest) > 0) {
        columns.remove(least);
      }
    }
    return columns;
  }

  private String leftOut(List<Integer> columns) {
    String names =
        IntStream.range(0, widths.length)
            .filter(c -> !columns.contains(c))
            .mapToObj(header::get)
            .collect(Collectors.joining(", "));
    return names.isEmpty()
        ? ""
        : "not shown on %d columns: %s; -o wide shows all\n".formatted(columnsMax, names);
  }

  private int excess(int[] fitting) {
    return Arrays.stream(fitting).sum() + GAP.length() * (fitting.length - 1) - columnsMax;
  }

  private int[] fitting(List<Integer> columns) {
    int[] fitting = columns.stream().mapToInt(c -> widths[c]).toArray();
    List<Integer> narrowed = wrapping.stream().map(columns::indexOf).filter(i -> i >= 0).toList();
    for (int excess = excess(fitting); excess > 0; excess--) {
      int widest = narrowed.stream().max(Comparator.comparingInt(i -> fitting[i])).orElse(-1);
      if (widest < 0 || fitting[widest] <= WRAPPED_MIN) {
        break;
      }
      fitting[widest]--;
    }
    return fitting;
  }
}
