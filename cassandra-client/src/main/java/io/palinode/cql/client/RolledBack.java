package io.palinode.cql.client;

/**
 * The store was rolled back.
 *
 * @param fromEpoch the epoch whose writes after {@code target} are gone
 * @param toEpoch the epoch in force now
 * @param target HLC of the cut: of this client's writes, those stand whose answers came no later,
 *     see {@link PalinodeSession#answeredAt}. 0 if the client missed a rollback in between
 * @param restart no cut that is known to be good could be restored, so the data may be wrong, also
 *     before {@code target}. The program restarts its work
 */
public record RolledBack(long fromEpoch, long toEpoch, long target, boolean restart) {}
