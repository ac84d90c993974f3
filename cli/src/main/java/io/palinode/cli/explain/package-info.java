/**
 * What a predicate means and costs, without a cluster. All but the command is pure.
 *
 * <p>Each sentence is true of exactly the predicate that it is said of, and promises no more than
 * the Javadoc of {@code io.palinode.detection}, which it follows.
 */
@NullMarked
package io.palinode.cli.explain;

import org.jspecify.annotations.NullMarked;
