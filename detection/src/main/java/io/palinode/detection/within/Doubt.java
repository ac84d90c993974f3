package io.palinode.detection.within;

/**
 * A span of HLCs in which answers may have been missed.
 *
 * @param opensOnly whether only those that were open then may be; what began then is known
 */
public record Doubt(long from, long to, boolean opensOnly) {
  boolean meets(Doubt other) {
    return opensOnly == other.opensOnly && from <= other.to && other.from <= to;
  }

  Doubt with(Doubt other) {
    return new Doubt(Math.min(from, other.from), Math.max(to, other.to), opensOnly);
  }
}
