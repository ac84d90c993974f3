package io.palinode.monitor;

/** What one node writes to one partition, in its order. */
public record Channel(int partition, int node) {
  /** Parses the result of {@link #toString}. Throws {@link IllegalArgumentException}. */
  public static Channel parse(String text) {
    int slash = text.indexOf('/');
    if (slash < 0) {
      throw new IllegalArgumentException("a channel must have two numbers: '" + text + "'");
    }
    return new Channel(
        Integer.parseInt(text.substring(0, slash)), Integer.parseInt(text.substring(slash + 1)));
  }

  /** {@code <partition>/<node>}, as in the keys of the job's state. */
  @Override
  public String toString() {
    return partition + "/" + node;
  }
}
