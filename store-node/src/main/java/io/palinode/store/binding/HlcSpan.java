package io.palinode.store.binding;

/** After {@code from}, up to {@code to}. */
public record HlcSpan(long from, long to) {
  public boolean contains(long hlc) {
    return from < hlc && hlc <= to;
  }
}
