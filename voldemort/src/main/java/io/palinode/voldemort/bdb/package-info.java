/**
 * A node's data on disk: its folder, and Berkeley DB in it.
 *
 * <p>Guarantees: a folder is open in one process at a time. It always has the data of the same node
 * of a cluster of the same size. A commit with {@code WRITTEN} survives the end of the process, one
 * with {@code SYNCED} a loss of power.
 */
@NullMarked
package io.palinode.voldemort.bdb;

import org.jspecify.annotations.NullMarked;
