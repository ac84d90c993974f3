/**
 * One node of a store, put together: its parts, and its face toward the detector and the control
 * duties.
 *
 * <p>A store extends {@link io.palinode.store.node.NodeBinding} with the requests of its clients.
 * For each write it takes the lock, checks the fence, ticks the clock, covers the tick with the
 * promise, logs the old record, commits the new one, and passes the write on.
 *
 * <p>Promises: see the packages of the parts. Hazard: a write that skips a step breaks them.
 */
@NullMarked
package io.palinode.store.node;

import org.jspecify.annotations.NullMarked;
