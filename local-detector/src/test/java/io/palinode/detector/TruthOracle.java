package io.palinode.detector;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.palinode.predicate.Binding;
import io.palinode.predicate.Clause;
import io.palinode.predicate.Term;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** What holds in a state, by asking every term of every predicate about every version: slow. */
final class TruthOracle {
  private TruthOracle() {}

  /** One text a version that makes a term true: predicate, place, binding, key and version. */
  static Set<String> holding(
      Collection<ActivePredicate> active, Map<StoreKey, List<Version>> state) {
    Set<String> holding = new TreeSet<>();
    state.forEach(
        (key, siblings) ->
            siblings.forEach(
                version -> active.forEach(one -> addHeld(one, key, version, holding))));
    return holding;
  }

  private static void addHeld(
      ActivePredicate active, StoreKey key, Version version, Set<String> holding) {
    String keyText = new String(key.key(), UTF_8);
    String value = new String(version.value(), UTF_8);
    List<Clause> clauses = active.predicate().violation();
    for (int c = 0; c < clauses.size(); c++) {
      for (int t = 0; t < clauses.get(c).terms().size(); t++) {
        Term term = clauses.get(c).terms().get(t);
        Binding binding = term.bind(keyText, value);
        if (binding != null) {
          holding.add(
              name(active.name(), active.version(), c, t, binding.toString(), key, version));
        }
      }
    }
  }

  static String name(OpenInterval interval) {
    WatchedTerm term = interval.holding().term();
    return name(
        term.predicate(),
        term.version(),
        term.clause(),
        term.index(),
        interval.binding(),
        interval.key(),
        interval.holding().version());
  }

  private static String name(
      String predicate,
      long version,
      int clause,
      int term,
      String binding,
      StoreKey key,
      Version made) {
    return predicate
        + " v"
        + version
        + " "
        + clause
        + "."
        + term
        + " "
        + binding
        + " "
        + new String(key.key(), UTF_8)
        + "@"
        + java.util.HexFormat.of().formatHex(made.clock());
  }
}
