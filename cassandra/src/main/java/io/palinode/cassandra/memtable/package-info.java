/**
 * Memtables that announce each mutation.
 *
 * <p>Hazard: a mutation may block in Cassandra until memory is flushed, while the flush waits for
 * older mutations. Those never wait for a lock that such a mutation holds.
 */
@NullMarked
package io.palinode.cassandra.memtable;

import org.jspecify.annotations.NullMarked;
