package io.palinode.store.binding;

import io.palinode.wire.v1.Resume;

/**
 * The epochs that a client has missed, in addition to the target of the newest one.
 *
 * @param restartEpoch the newest one in which programs restart their work; 0 if there is none
 * @param deepEpoch the newest one that began before the safe point of its time, by an operator or
 *     with a snapshot; 0 if there is none
 * @param deepTarget the least cut that any such epoch began with
 * @param concerned the clients that the newest ones concern, unless they concern all
 */
public record MissedEpochs(
    long restartEpoch, long deepEpoch, long deepTarget, ConcernedClients concerned) {
  public static final MissedEpochs NONE = new MissedEpochs(0, 0, 0);

  public MissedEpochs(long restartEpoch, long deepEpoch, long deepTarget) {
    this(restartEpoch, deepEpoch, deepTarget, ConcernedClients.NONE);
  }

  /**
   * Adds the newest epoch.
   *
   * @param isDeep whether it began before the safe point
   */
  public MissedEpochs with(long epoch, Resume resume, boolean isDeep) {
    long target = resume.getTarget();
    long least = deepEpoch == 0 ? target : Math.min(deepTarget, target);
    return new MissedEpochs(
        resume.getRestart() ? epoch : restartEpoch,
        isDeep ? epoch : deepEpoch,
        isDeep ? least : deepTarget,
        resume.hasConcerned()
            ? concerned.with(epoch, resume.getConcerned())
            : ConcernedClients.NONE);
  }
}
