/**
 * A node's data on disk: its folder, and Berkeley DB in it.
 *
 * <p>Guarantees: a folder is open in one process at a time, and always holds the data of the same
 * node of a cluster of the same size; what was committed with {@code WRITTEN} outlives the death of
 * the process, with {@code SYNCED} the loss of power.
 */
@NullMarked
package io.palinode.voldemort.bdb;

import org.jspecify.annotations.NullMarked;
