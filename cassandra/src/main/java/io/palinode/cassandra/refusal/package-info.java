/**
 * The refusal of lightweight transactions on tables that rollbacks restore.
 *
 * <p>It promises that no replica accepts a proposal that changes such a table. A rollback relies on
 * it: Cassandra proposes an accepted change again with a new timestamp, so above a restored one.
 */
@NullMarked
package io.palinode.cassandra.transaction;

import org.jspecify.annotations.NullMarked;
