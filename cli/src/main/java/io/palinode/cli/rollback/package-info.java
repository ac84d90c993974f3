/**
 * {@code palinode rollback} and {@code palinode repair}: plans by hand, and what they discarded.
 */
@NullMarked
package io.palinode.cli.rollback;

import org.jspecify.annotations.NullMarked;
