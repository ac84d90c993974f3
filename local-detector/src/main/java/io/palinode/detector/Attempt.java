package io.palinode.detector;

import io.palinode.detector.StoreBinding.KeyRecord;
import io.palinode.wire.v1.Contribution;
import io.palinode.wire.v1.KeyVersions;
import io.palinode.wire.v1.Restore;
import io.palinode.wire.v1.Restored;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.function.ToIntFunction;

/**
 * What the log says of one attempt of a plan to restore. Immutable.
 *
 * <p>It holds the pieces that nodes published: at most what their window-logs hold, for nothing
 * else changed near or after the target; or digests of all slices, and what differs.
 *
 * @param asked what is to be done
 * @param converged whether this node has said all of its {@code Converged}
 */
record Attempt(
    Restore asked, List<Restored> restored, List<Contribution> contributions, boolean converged) {

  static Attempt of(Restore asked) {
    return new Attempt(asked, List.of(), List.of(), false);
  }

  Attempt with(Restored piece) {
    return new Attempt(asked, append(restored, piece), contributions, converged);
  }

  Attempt with(Contribution piece) {
    return new Attempt(asked, restored, append(contributions, piece), converged);
  }

  Attempt withConverged() {
    return new Attempt(asked, restored, contributions, true);
  }

  int number() {
    return asked.getAttempt();
  }

  /** Some node has said that it cannot restore; so another attempt may follow at once. */
  boolean hasFailed() {
    return restored.stream().anyMatch(piece -> !piece.getFailure().isEmpty());
  }

  /** The nodes that said all of {@code Restored}, and did restore. */
  Set<Integer> nodesRestored() {
    return nodes(restored, p -> p.getLast() && p.getFailure().isEmpty(), Restored::getNode);
  }

  /** The nodes that said all of {@code Restored}, also that they could not. */
  Set<Integer> nodesAnswered() {
    return nodes(restored, Restored::getLast, Restored::getNode);
  }

  Set<Integer> nodesContributed() {
    return nodes(contributions, Contribution::getLast, Contribution::getNode);
  }

  /**
   * The slices that this attempt exchanges, when it compares all keys: some of {@link #unsettled}.
   */
  SliceRound round() {
    Map<StoreKey, Long> weights = new HashMap<>();
    for (Restored piece : restored) {
      for (io.palinode.wire.v1.StoreKey slice : piece.getChangedList()) {
        weights.merge(key(slice), slice.getWeight(), Long::sum);
      }
    }
    StoreKey from = asked.hasFromSlice() ? key(asked.getFromSlice()) : null;
    return SliceRound.of(unsettled(), weights, from, asked.getRoundBytes());
  }

  private static StoreKey key(io.palinode.wire.v1.StoreKey told) {
    return new StoreKey(told.getStore(), told.getKey().toByteArray());
  }

  /**
   * The keys that changed at any node, each once, but those that all replicas have alike; of an
   * attempt that compares all keys, the slices.
   */
  List<StoreKey> unsettled() {
    Agreement agreement = new Agreement();
    for (Restored piece : restored) {
      for (io.palinode.wire.v1.StoreKey key : piece.getChangedList()) {
        agreement.add(piece.getNode(), key(key), key.getDigest(), key.getReplicas());
      }
    }
    return agreement.unsettled();
  }

  /** What all nodes contributed. */
  List<KeyRecord> contributed() {
    List<KeyRecord> records = new ArrayList<>();
    for (Contribution piece : contributions) {
      for (KeyVersions entry : piece.getEntriesList()) {
        StoreKey key = new StoreKey(entry.getStore(), entry.getKey().toByteArray());
        records.add(
            new KeyRecord(key, entry.getSiblings().toByteArray(), entry.getPast().toByteArray()));
      }
    }
    return records;
  }

  private static <P> Set<Integer> nodes(
      List<P> pieces, Predicate<P> counts, ToIntFunction<P> nodeOf) {
    Set<Integer> nodes = new TreeSet<>();
    for (P piece : pieces) {
      if (counts.test(piece)) {
        nodes.add(nodeOf.applyAsInt(piece));
      }
    }
    return nodes;
  }

  private static <P> List<P> append(List<P> pieces, P piece) {
    List<P> appended = new ArrayList<>(pieces);
    appended.add(piece);
    return List.copyOf(appended);
  }
}
