/**
 * Templates, values and conditions: what a term compares. Immutable and thread-safe.
 *
 * <p>Promise: a match takes time bounded by the length of its input. A match that takes too many
 * steps ends as "no match" and is counted.
 */
@NullMarked
package io.palinode.predicate.template;

import org.jspecify.annotations.NullMarked;
