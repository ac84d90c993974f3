/** The predicate model, its XML and YAML forms, and validation. */
@NullMarked
package io.palinode.predicate;

import org.jspecify.annotations.NullMarked;
