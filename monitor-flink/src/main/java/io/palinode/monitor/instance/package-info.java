/**
 * The state of a predicate instance between two events, and what is published of it.
 *
 * <p>Guarantee: the same witnesses always have the same id ({@link
 * io.palinode.monitor.instance.Violations}), so consumers can drop repeats.
 */
@NullMarked
package io.palinode.monitor.instance;

import org.jspecify.annotations.NullMarked;
