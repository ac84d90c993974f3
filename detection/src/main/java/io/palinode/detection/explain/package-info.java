/**
 * What a predicate means and costs, in sentences for its reader. Pure.
 *
 * <p>Each sentence is true of exactly the predicate that it is said of, and promises no more than
 * the Javadoc of {@code io.palinode.detection}, which it follows.
 */
@NullMarked
package io.palinode.detection.explain;

import org.jspecify.annotations.NullMarked;
