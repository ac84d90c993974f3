/**
 * Cells as records that a node logs, restores and merges. Pure: without Cassandra's classes.
 *
 * <p>Guarantee: replicas that know the same writes of a cell get equal bytes, in any order of
 * arrival, and these are of the write that Cassandra chooses.
 *
 * <p>Hazard: Cassandra removes a tombstone some time after a delete. A replica that never received
 * the delete then brings the value back, with a rollback as without one.
 */
@NullMarked
package io.palinode.cassandra.record;

import org.jspecify.annotations.NullMarked;
