/**
 * The refusal of statements that rollbacks could not discard, such as lightweight transactions.
 *
 * <p>It promises that no replica accepts a proposal that changes a restored table. A rollback
 * relies on it: Cassandra proposes an accepted change again with a new timestamp, so above a
 * restored one.
 */
@NullMarked
package io.palinode.cassandra.refusal;

import org.jspecify.annotations.NullMarked;
