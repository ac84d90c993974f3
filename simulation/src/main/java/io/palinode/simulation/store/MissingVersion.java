package io.palinode.simulation.store;

import io.palinode.detector.binding.Version;

/**
 * A version that a node lacks.
 *
 * @param version with its origin, if a node has named it
 * @param readAt a node that has it
 */
public record MissingVersion(int node, Version version, int readAt) {}
