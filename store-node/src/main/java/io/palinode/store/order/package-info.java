/**
 * The order of a node's writes: its locks, fence, clock promise and own records.
 *
 * <p>Promises: no incarnation publishes an HLC that an earlier one could have published (I3). Once
 * a node serves an epoch, it accepts no write of an earlier one (I20).
 */
@NullMarked
package io.palinode.store.order;

import org.jspecify.annotations.NullMarked;
