/**
 * Clients that add to balances without a lock, with R = W = 1, and count what that loses.
 *
 * <p>A teller reads a balance, adds 1 and puts it. An auditor reads balances. Each client keeps a
 * {@link SessionLog} of what it read and wrote. {@link Books} compares these logs with the balances
 * that the store has in the end.
 *
 * <p>Guarantees: {@link Books} uses the clients' logs alone, so its figures are independent of what
 * Palinode reports.
 *
 * <p>Hazards: a rollback discards updates that the logs have. The run then fails.
 */
@NullMarked
package io.palinode.examples.balances;

import org.jspecify.annotations.NullMarked;
