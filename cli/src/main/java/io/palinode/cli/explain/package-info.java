/** {@code palinode explain}: what a predicate means and costs, without a cluster. */
@NullMarked
package io.palinode.cli.explain;

import org.jspecify.annotations.NullMarked;
