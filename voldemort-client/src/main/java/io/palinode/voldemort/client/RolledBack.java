package io.palinode.voldemort.client;

/**
 * The store was taken back.
 *
 * @param fromEpoch the epoch whose writes after {@code target} are gone
 * @param toEpoch the epoch in force now
 * @param target HLC of the cut: of the writes that this client got acknowledged, those with {@code
 *     acceptedAt <= target} stand. When the client has missed a rollback in between (the epochs
 *     differ by more than one), no later than its safe point; later writes may stand then
 * @param sequentialUntilMicros until this wall clock the client uses all keys with R + W > N; 0:
 *     not all
 */
public record RolledBack(long fromEpoch, long toEpoch, long target, long sequentialUntilMicros) {}
