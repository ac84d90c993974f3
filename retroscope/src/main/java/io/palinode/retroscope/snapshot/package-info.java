/**
 * A store as it was: reads of any time in reach, and snapshots that stay.
 *
 * <p>It works on any store that gives a {@link io.palinode.retroscope.snapshot.History}. Each node
 * has its own files; {@code SnapshotFolder} draws where, {@code RunWriter}, {@code Part} and {@code
 * Manifest} draw their bytes.
 *
 * <p>Guarantees:
 *
 * <ul>
 *   <li>What a part holds is the store at the snapshot's time, exactly, whatever was written while
 *       it was taken.
 *   <li>A file is whole or it is no snapshot: what a crash cut short, and what was damaged later,
 *       is never read as one.
 *   <li>A rolling snapshot is at its old time until its manifest names the new one.
 * </ul>
 *
 * <p>Hazards: an incremental snapshot is useless without its base; the deleter or mover of
 * snapshots must preserve that. A change of records that is not in the window-log makes later
 * snapshots wrong.
 *
 * <p>Charapko et al., "Retrospective Lightweight Distributed Snapshots Using Loosely Synchronized
 * Clocks", ICDCS 2017.
 */
@NullMarked
package io.palinode.retroscope.snapshot;

import org.jspecify.annotations.NullMarked;
