/**
 * The node's side of the rollback protocol: from the control log to duties and acknowledgements.
 *
 * <p>Promise: the duties of a node follow from the log alone, and a repeated duty changes nothing
 * (I24).
 *
 * <p>The control log becomes {@link io.palinode.store.control.Command}s in {@link
 * io.palinode.store.control.NodeControl}, which {@link io.palinode.store.control.ControlExecution}
 * carries out. Nothing here reads a clock, starts a thread or does I/O.
 *
 * <p>Hazard: a store that changes keys in a restore or merge without naming them leaves the new
 * epoch without their intervals.
 */
@NullMarked
package io.palinode.store.control;

import org.jspecify.annotations.NullMarked;
