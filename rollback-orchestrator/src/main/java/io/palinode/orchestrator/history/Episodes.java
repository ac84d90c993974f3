package io.palinode.orchestrator.history;

import io.palinode.wire.v1.VariableVersion;
import io.palinode.wire.v1.Violation;
import io.palinode.wire.v1.Witness;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Which violations are reports of one episode. Each epoch, and each restarted node, opens what
 * holds again, so the monitor reports a violation that stands under a new id. Such a report names
 * the same versions of the same variables. Thread-safe; keeps the latest episodes.
 */
final class Episodes {
  private final History<Facts, Beginning> episodes;
  private final History<String, String> firstIds;

  Episodes(int capacity, long bytesMax) {
    episodes = new History<>(capacity, bytesMax, Beginning::bytes);
    firstIds = new History<>(capacity);
  }

  /** What holds: the terms and the versions that make them true, of whatever node. */
  private record Facts(
      String predicate, long version, String binding, int clause, Set<Term> terms) {
    /** Null if no version is named: then a later violation may look the same. */
    static @Nullable Facts of(Violation violation) {
      boolean isNamed =
          violation.getWitnessesList().stream()
              .anyMatch(
                  witness ->
                      witness.getValuesList().stream().anyMatch(v -> !v.getClock().isEmpty()));
      return isNamed
          ? new Facts(
              violation.getPredicate(),
              violation.getPredicateVersion(),
              violation.getBinding(),
              violation.getClause(),
              violation.getWitnessesList().stream().map(Term::of).collect(Collectors.toSet()))
          : null;
    }
  }

  /** Only a term without a version names its node. */
  private record Term(int number, int node, Set<VariableVersion> versions) {
    private static final int ANY = -1;

    static Term of(Witness witness) {
      Set<VariableVersion> versions =
          witness.getValuesList().stream()
              .filter(value -> !value.getClock().isEmpty())
              .map(value -> value.toBuilder().clearValue().clearValueBytes().build())
              .collect(Collectors.toSet());
      return new Term(witness.getTerm(), versions.isEmpty() ? witness.getNode() : ANY, versions);
    }
  }

  /**
   * The first report, and the greatest incarnation of each of its nodes.
   *
   * @param bytes of the report, and so at least of its facts
   */
  private record Beginning(String id, long epoch, Map<Integer, Long> incarnations, long bytes) {
    static Beginning of(Violation violation) {
      Map<Integer, Long> incarnations = new HashMap<>();
      violation
          .getWitnessesList()
          .forEach(w -> incarnations.merge(w.getNode(), w.getIncarnation(), Math::max));
      return new Beginning(
          violation.getId(), violation.getEpoch(), incarnations, violation.getSerializedSize());
    }

    /** Whether the intervals of this report were opened again. */
    boolean isBefore(Violation violation) {
      return violation.getEpoch() > epoch
          || violation.getWitnessesList().stream()
              .anyMatch(
                  witness ->
                      witness.getIncarnation()
                          > incarnations.getOrDefault(witness.getNode(), Long.MAX_VALUE));
    }
  }

  /** Adds a report. Returns the id of the first report of its episode. */
  String add(Violation violation) {
    Facts facts = Facts.of(violation);
    if (facts == null) {
      return violation.getId();
    }
    Beginning known = episodes.get(facts);
    if (known != null && known.isBefore(violation)) {
      firstIds.put(violation.getId(), known.id());
      return known.id();
    }
    if (known == null) {
      episodes.put(facts, Beginning.of(violation));
    }
    return violation.getId();
  }

  /** The id of the first report of the episode of this report; its own if it is the first. */
  String first(String id) {
    String first = firstIds.get(id);
    return first == null ? id : first;
  }
}
