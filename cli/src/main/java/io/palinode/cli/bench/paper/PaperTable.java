package io.palinode.cli.bench.paper;

import java.io.IOException;

/** One table of the papers. */
interface PaperTable {
  /** As the user names it. */
  String name();

  /** What it compares, in a line. */
  String title();

  /** How often {@link #measure} calls {@link Session#step}. */
  int steps(Budget budget);

  /** About the time of a step on two cores, for the estimate at the begin. */
  double stepSeconds(Budget budget);

  /** Adds rows as they are known: those added before an interrupt or a failure are kept. */
  void measure(Session session) throws IOException, InterruptedException;
}
