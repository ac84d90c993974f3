package io.palinode.detection.file;

/** Receives how far a run is. Either method may throw to end the run. */
public interface Progress {
  /**
   * A phase begins.
   *
   * @param total the value of {@code done} at the end; 0: not known
   */
  void begin(String verb, String unit, long total);

  /** So many units were worked on, which is {@code done} of the total. Called for each unit. */
  void at(long units, long done);
}
