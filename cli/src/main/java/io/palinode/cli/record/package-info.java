/** Traces for {@code palinode detect} from the candidates of a running cluster. */
@NullMarked
package io.palinode.cli.record;

import org.jspecify.annotations.NullMarked;
