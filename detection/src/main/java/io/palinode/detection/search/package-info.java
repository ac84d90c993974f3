/**
 * The search for pairwise concurrent intervals that make one clause true. Pure.
 *
 * <p>{@link io.palinode.detection.search.WatchedClause} holds a queue for each term and node.
 * Conjunctions advance along forbidden states, "k of n" tries its combinations, and sums use a
 * minimum cut.
 */
@NullMarked
package io.palinode.detection.search;

import org.jspecify.annotations.NullMarked;
