package io.palinode.voldemort.client.session;

/**
 * The store was rolled back.
 *
 * @param fromEpoch the epoch whose writes after {@code target} are gone
 * @param toEpoch the epoch in force now
 * @param target HLC of the cut: of the writes that this client got acknowledged, those with {@code
 *     acceptedAt <= target} stand, which are all if the plan undid nothing. When the client has
 *     missed a rollback in between (the epochs differ by more than one), no later than its safe
 *     point, or than a cut before it that a missed rollback went to; later writes may stand then
 * @param sequentialUntilMicros until this wall clock the client uses all keys with R + W > N; 0:
 *     not all
 * @param restart no state that is known to be good could be restored, in this rollback or in one
 *     that the client has missed: that plan restored nothing, and the data may be wrong, also
 *     before {@code target}. The program restarts its work
 */
public record RolledBack(
    long fromEpoch, long toEpoch, long target, long sequentialUntilMicros, boolean restart) {
  /** One that went to its target. */
  public RolledBack(long fromEpoch, long toEpoch, long target, long sequentialUntilMicros) {
    this(fromEpoch, toEpoch, target, sequentialUntilMicros, false);
  }
}
