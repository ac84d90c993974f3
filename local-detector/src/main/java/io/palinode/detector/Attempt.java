package io.palinode.detector;

import io.palinode.detector.StoreBinding.KeyRecord;
import io.palinode.detector.affected.Affected;
import io.palinode.detector.affected.Extent;
import io.palinode.wire.v1.Accessed;
import io.palinode.wire.v1.Contribution;
import io.palinode.wire.v1.KeyVersions;
import io.palinode.wire.v1.Named;
import io.palinode.wire.v1.Restore;
import io.palinode.wire.v1.Restored;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/**
 * What the log says of one attempt of a plan to restore. Immutable.
 *
 * <p>It holds the pieces that nodes published: digests of groups of keys, or of slices; and of the
 * keys that differ what their nodes have.
 *
 * @param asked what is to be done
 * @param comparison null before {@code Converge}
 * @param converged whether this node has said all of its {@code Converged}
 */
record Attempt(
    Restore asked,
    List<Accessed> accessed,
    List<Restored> restored,
    @Nullable Comparison comparison,
    List<Named> named,
    List<Contribution> contributions,
    boolean converged) {

  static Attempt of(Restore asked) {
    return new Attempt(asked, List.of(), List.of(), null, List.of(), List.of(), false);
  }

  /** Once all nodes have told all, nothing counts any more: they have to go by the same. */
  Attempt with(Accessed piece, int nodes) {
    return nodesAccessed().size() >= nodes
        ? this
        : new Attempt(
            asked, append(accessed, piece), restored, comparison, named, contributions, converged);
  }

  Attempt with(Restored piece) {
    return new Attempt(
        asked, accessed, append(restored, piece), comparison, named, contributions, converged);
  }

  /**
   * Once all nodes have restored, what they told is compared; what is told later counts no more.
   */
  Attempt compared(int nodes) {
    if (comparison != null || nodesRestored().size() < nodes) {
      return this;
    }
    return new Attempt(
        asked, accessed, restored, Comparison.of(restored), named, contributions, converged);
  }

  Attempt with(Named piece) {
    return new Attempt(
        asked, accessed, restored, comparison, append(named, piece), contributions, converged);
  }

  Attempt with(Contribution piece) {
    return new Attempt(
        asked, accessed, restored, comparison, named, append(contributions, piece), converged);
  }

  Attempt withConverged() {
    return new Attempt(asked, accessed, restored, comparison, named, contributions, true);
  }

  int number() {
    return asked.getAttempt();
  }

  /** Some node has said that it cannot restore; so another attempt may follow at once. */
  boolean hasFailed() {
    return restored.stream().anyMatch(piece -> !piece.getFailure().isEmpty());
  }

  /** Whether it undoes only what came of some writes. */
  boolean isOfSome() {
    return asked.hasAffected() && !asked.getKeep() && !asked.getWhole() && !asked.hasSnapshot();
  }

  /** What is undone; null: everything, or nothing. Once all nodes have {@link #nodesAccessed}. */
  @Nullable Extent extent() {
    return isOfSome() ? LoggedAccesses.extent(asked, accessed) : null;
  }

  /** The keys of which a write after the target stands. */
  Set<Long> stood(Affected extent) {
    return LoggedAccesses.stood(asked, accessed, extent);
  }

  /** The nodes that said all of {@code Accessed}. */
  Set<Integer> nodesAccessed() {
    return nodes(accessed, Accessed::getLast, Accessed::getNode);
  }

  /** The nodes that said all of {@code Restored}, and did restore. */
  Set<Integer> nodesRestored() {
    return nodes(restored, p -> p.getLast() && p.getFailure().isEmpty(), Restored::getNode);
  }

  /** The nodes that said all of {@code Restored}, also that they could not. */
  Set<Integer> nodesAnswered() {
    return nodes(restored, Restored::getLast, Restored::getNode);
  }

  Set<Integer> nodesNamed() {
    return nodes(named, Named::getLast, Named::getNode);
  }

  Set<Integer> nodesContributed() {
    return nodes(contributions, Contribution::getLast, Contribution::getNode);
  }

  /**
   * The slices that this attempt exchanges, when it compares all keys: some of those that differ.
   */
  SliceRound round() {
    // Of each node once: a life that ended may have told a piece that the next one tells too.
    Map<Integer, Map<StoreKey, Long>> byNode = new HashMap<>();
    for (Restored piece : restored) {
      Map<StoreKey, Long> told = byNode.computeIfAbsent(piece.getNode(), n -> new HashMap<>());
      for (io.palinode.wire.v1.StoreKey slice : piece.getChangedList()) {
        told.merge(Comparison.key(slice), slice.getWeight(), Math::max);
      }
    }
    Map<StoreKey, Long> weights = new HashMap<>();
    byNode.values().forEach(told -> told.forEach((slice, w) -> weights.merge(slice, w, Long::sum)));
    StoreKey from = asked.hasFromSlice() ? Comparison.key(asked.getFromSlice()) : null;
    return SliceRound.of(compared().keys(), weights, from, asked.getRoundBytes());
  }

  private Comparison compared() {
    return Objects.requireNonNull(comparison, "nodes have not restored yet");
  }

  /** The keys that changed at any node, each once, but those that all replicas have alike. */
  List<StoreKey> unsettled() {
    Agreement<StoreKey> agreement = new Agreement<>();
    for (Named piece : named) {
      for (io.palinode.wire.v1.StoreKey key : piece.getKeysList()) {
        agreement.add(piece.getNode(), Comparison.key(key), key.getDigest(), key.getReplicas());
      }
    }
    Set<StoreKey> keys = new LinkedHashSet<>(compared().keys());
    keys.addAll(agreement.unsettled());
    return List.copyOf(keys);
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
