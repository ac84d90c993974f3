package io.palinode.store.control;

import io.palinode.detector.binding.StoreKey;
import io.palinode.store.affected.Affected;
import io.palinode.store.affected.Extent;
import io.palinode.store.binding.UndoLog.KeyRecord;
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
 * The state of one attempt of a plan to restore, from the log. Immutable.
 *
 * <p>It holds the pieces that nodes published: digests of key groups or slices, and the records of
 * keys that differ.
 *
 * @param asked the orchestrator's record
 * @param comparison null before {@code Converge}
 * @param converged whether this node has published all of its {@code Converged}
 */
public record Attempt(
    Restore asked,
    List<Accessed> accessed,
    List<Restored> restored,
    @Nullable Comparison comparison,
    List<Named> named,
    List<Contribution> contributions,
    boolean converged) {

  public static Attempt of(Restore asked) {
    return new Attempt(asked, List.of(), List.of(), null, List.of(), List.of(), false);
  }

  /** Pieces after all nodes have published theirs do not count, so that all nodes agree. */
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

  /** Compares the digests once all nodes have restored; later pieces do not count. */
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

  /** Whether it undoes only the writes that depend on witnesses. */
  public boolean isOfSome() {
    return asked.hasAffected() && !asked.getKeep() && !asked.getWhole() && !asked.hasSnapshot();
  }

  /** The undone writes; null for all or none. Call once all nodes are {@link #nodesAccessed}. */
  public @Nullable Extent extent() {
    return isOfSome() ? LoggedAccesses.extent(asked, accessed) : null;
  }

  /** The keys with a write after the target that stands. */
  Set<Long> stood(Affected extent) {
    return LoggedAccesses.stood(asked, accessed, extent);
  }

  /** The nodes that published all of {@code Accessed}. */
  Set<Integer> nodesAccessed() {
    return nodes(accessed, Accessed::getLast, Accessed::getNode);
  }

  /** The nodes that published all of {@code Restored} without a failure. */
  Set<Integer> nodesRestored() {
    return nodes(restored, p -> p.getLast() && p.getFailure().isEmpty(), Restored::getNode);
  }

  /** The nodes that published all of {@code Restored}, with or without a failure. */
  Set<Integer> nodesAnswered() {
    return nodes(restored, Restored::getLast, Restored::getNode);
  }

  Set<Integer> nodesNamed() {
    return nodes(named, Named::getLast, Named::getNode);
  }

  Set<Integer> nodesContributed() {
    return nodes(contributions, Contribution::getLast, Contribution::getNode);
  }

  /** The slices that this attempt exchanges if it compares all keys: some of those that differ. */
  SliceRound round() {
    // Once per node: two incarnations may have published the same piece.
    Map<Integer, Map<StoreKey, Long>> byNode = new HashMap<>();
    for (Restored piece : restored) {
      Map<StoreKey, Long> weightOf = byNode.computeIfAbsent(piece.getNode(), n -> new HashMap<>());
      for (io.palinode.wire.v1.StoreKey slice : piece.getChangedList()) {
        weightOf.merge(Comparison.key(slice), slice.getWeight(), Math::max);
      }
    }
    Map<StoreKey, Long> weights = new HashMap<>();
    byNode
        .values()
        .forEach(weightOf -> weightOf.forEach((slice, w) -> weights.merge(slice, w, Long::sum)));
    StoreKey from = asked.hasFromSlice() ? Comparison.key(asked.getFromSlice()) : null;
    return SliceRound.of(compared().keys(), weights, from, asked.getRoundBytes());
  }

  private Comparison compared() {
    return Objects.requireNonNull(comparison, "nodes have not restored yet");
  }

  /** The keys that changed on any node, each once, except those that are equal on all replicas. */
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

  /** The contributions of all nodes. */
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
