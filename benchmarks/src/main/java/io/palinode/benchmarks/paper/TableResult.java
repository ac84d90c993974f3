package io.palinode.benchmarks.paper;

import java.util.List;

/**
 * What one table found.
 *
 * @param setting what was run
 * @param problem why rows are missing; empty: the table is complete
 */
public record TableResult(
    String name,
    String title,
    String setting,
    double seconds,
    List<Row> rows,
    List<Curve> curves,
    String problem) {
  public TableResult {
    rows = List.copyOf(rows);
    curves = List.copyOf(curves);
  }
}
