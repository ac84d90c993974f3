package io.palinode.detector;

import io.palinode.detector.binding.StoreKey;
import io.palinode.detector.binding.Version;
import io.palinode.detector.binding.WriteFeed;
import io.palinode.detector.terms.TermIndex;
import io.palinode.detector.terms.TermIndex.Match;
import io.palinode.detector.terms.Truth;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/** One scan of all keys of a store, while writes may continue. Only {@link #of} makes one. */
final class KeyScan {
  private final TermIndex terms;
  private final Truth truth;
  private final int keysMax;
  private final List<StoreKey> keys = new ArrayList<>();
  private int holding;
  private int states;

  private KeyScan(TermIndex terms, Truth truth, int keysMax) {
    this.terms = terms;
    this.truth = truth;
    this.keysMax = keysMax;
  }

  /**
   * Keys at which a term held, or whose replicas are compared.
   *
   * @param all false if terms held at more keys than can be kept
   * @param allStates false if the replicas of more keys are compared than can be kept
   */
  record Found(Collection<StoreKey> keys, boolean all, boolean allStates) {}

  /** Keeps at most {@code keysMax} of each kind. Throws what the store throws. */
  static Found of(WriteFeed store, TermIndex terms, Truth truth, int keysMax) {
    KeyScan scan = new KeyScan(terms, truth, keysMax);
    store.scan(scan::see);
    return new Found(scan.keys, scan.holding <= keysMax, scan.states <= keysMax);
  }

  private void see(StoreKey key, List<Version> siblings) {
    List<Match> matches = terms.match(key);
    boolean holds = !truth.of(matches, siblings).isEmpty();
    boolean compares = matches.stream().anyMatch(match -> match.term().isState());
    holding = Math.min(holding + (holds ? 1 : 0), keysMax + 1);
    states = Math.min(states + (compares ? 1 : 0), keysMax + 1);
    if ((holds && holding <= keysMax) || (compares && states <= keysMax)) {
      keys.add(key);
    }
  }
}
