/** Warnings about valid predicates that probably do not mean what their author wants. */
@NullMarked
package io.palinode.predicate.lint;

import org.jspecify.annotations.NullMarked;
