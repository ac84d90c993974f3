package io.palinode.detector;

/**
 * What a client has to know of epochs that it has missed, beside what the newest one tells.
 *
 * @param restartEpoch the newest one in which programs begin anew; 0: none
 * @param deepEpoch the newest one that began before the safe point of its time: by an operator's
 *     hand, or with a snapshot; 0: none
 * @param deepTarget the least cut that any such epoch began with
 */
public record MissedEpochs(long restartEpoch, long deepEpoch, long deepTarget) {
  public static final MissedEpochs NONE = new MissedEpochs(0, 0, 0);

  /** With one more epoch, the newest. */
  MissedEpochs with(long epoch, long target, boolean restarts, boolean isDeep) {
    long least = deepEpoch == 0 ? target : Math.min(deepTarget, target);
    return new MissedEpochs(
        restarts ? epoch : restartEpoch, isDeep ? epoch : deepEpoch, isDeep ? least : deepTarget);
  }
}
