package io.palinode.detector.binding;

/** Why a term is true of a version, if no value shows it. */
public sealed interface Evidence permits Unseen, SeenBefore {
  /** With no more than the first bytes of each value. */
  Evidence beginning(int bytesMax);

  /** About what it takes in memory. */
  long bytes();
}
