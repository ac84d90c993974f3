package io.palinode.detector;

import io.palinode.wire.v1.Resume;

/**
 * What a client has to know of epochs that it has missed, beside what the newest one tells.
 *
 * @param restartEpoch the newest one in which programs begin anew; 0: none
 * @param deepEpoch the newest one that began before the safe point of its time: by an operator's
 *     hand, or with a snapshot; 0: none
 * @param deepTarget the least cut that any such epoch began with
 * @param concerned whom the newest ones concern, if that is not everybody
 */
public record MissedEpochs(
    long restartEpoch, long deepEpoch, long deepTarget, ConcernedClients concerned) {
  public static final MissedEpochs NONE = new MissedEpochs(0, 0, 0);

  public MissedEpochs(long restartEpoch, long deepEpoch, long deepTarget) {
    this(restartEpoch, deepEpoch, deepTarget, ConcernedClients.NONE);
  }

  /**
   * With one more epoch, the newest.
   *
   * @param isDeep it began before the safe point
   */
  MissedEpochs with(long epoch, Resume resume, boolean isDeep) {
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
