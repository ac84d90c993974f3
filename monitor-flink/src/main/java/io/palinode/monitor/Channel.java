package io.palinode.monitor;

/** What one node writes to one partition, in its order. */
public record Channel(int partition, int node) {
  /** {@code <partition>/<node>}, as in the keys of the job's state. */
  @Override
  public String toString() {
    return partition + "/" + node;
  }
}
