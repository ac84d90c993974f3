/**
 * The snapshots of a cluster, as a pure state machine over the control log.
 *
 * <p>Promises: a snapshot is one cut, every node as it was at one HLC. HLC order respects
 * causality, so the cut is consistent. A snapshot is complete, or partial with the missing nodes
 * and the reasons. The log determines it: each replay gives the same snapshots.
 *
 * <p>Between the first undo of a rollback and its end, a cut has some nodes on each side of the
 * undo. A snapshot of such a cut is refused, or discarded at its end.
 */
@NullMarked
package io.palinode.orchestrator.snapshot;

import org.jspecify.annotations.NullMarked;
