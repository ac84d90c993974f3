/**
 * The snapshots of a cluster, as a pure state machine over the control log.
 *
 * <p>Promises: a snapshot is one cut, every node as it was at one HLC, and HLC respects causality,
 * so it is consistent. It is complete, or it is called partial and says which nodes are missing and
 * why. What counts is in the log: whoever replays it knows the same snapshots.
 *
 * <p>A cut between a rollback's first undo and its end is a consistent cut too, but one on which
 * some nodes are on this side of the undo and some on the other. It is refused, and a snapshot that
 * turns out to be one is discarded.
 */
@NullMarked
package io.palinode.orchestrator.snapshot;

import org.jspecify.annotations.NullMarked;
