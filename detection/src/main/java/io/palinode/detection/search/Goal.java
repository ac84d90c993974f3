package io.palinode.detection.search;

import io.palinode.hvc.Grade;

/**
 * What a search is for: intervals that are pairwise certain to be concurrent with at least {@code
 * grade}, none of which starts later than {@code violateMax} on its own node.
 */
record Goal(Grade grade, long violateMax) {
  static final Goal ANY = new Goal(Grade.UNCERTAIN, Long.MAX_VALUE);
}
