/** Words of a text with their places, and refusals that name them. */
@NullMarked
package io.palinode.predicate.text;

import org.jspecify.annotations.NullMarked;
