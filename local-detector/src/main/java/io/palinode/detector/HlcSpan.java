package io.palinode.detector;

/** After {@code from}, up to {@code to}. */
public record HlcSpan(long from, long to) {
  public boolean contains(long hlc) {
    return from < hlc && hlc <= to;
  }
}
