/**
 * Traces for {@code palinode detect}: from the candidates of a running cluster, and from a history
 * of client operations.
 */
@NullMarked
package io.palinode.cli.trace;

import org.jspecify.annotations.NullMarked;
