package io.palinode.examples.graph.truth;

import io.palinode.examples.graph.Edge;

/**
 * A detector's report, as far as it can be compared.
 *
 * @param startAtA start of the interval at the edge's lesser end, on its own node's clock: {@code
 *     acceptedAt} of the write that began it
 * @param startAtB the same at the greater end
 */
public record Detected(Edge edge, long startAtA, long startAtB) {
  boolean means(Violation violation) {
    return violation.edge().equals(edge)
        && violation.atA().isNamedBy(startAtA)
        && violation.atB().isNamedBy(startAtB);
  }
}
