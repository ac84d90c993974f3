/** The commands about predicates: apply, delete, lint, schema and export. */
@NullMarked
package io.palinode.cli.predicate;

import org.jspecify.annotations.NullMarked;
