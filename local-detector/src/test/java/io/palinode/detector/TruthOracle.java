package io.palinode.detector;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.palinode.detector.binding.StoreKey;
import io.palinode.detector.binding.Version;
import io.palinode.detector.terms.ActivePredicate;
import io.palinode.detector.terms.OpenInterval;
import io.palinode.detector.terms.WatchedTerm;
import io.palinode.predicate.Clause;
import io.palinode.predicate.Comparison;
import io.palinode.predicate.Term;
import io.palinode.predicate.template.Binding;
import io.palinode.predicate.template.Condition;
import io.palinode.predicate.template.Decimal;
import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Finds the terms that hold by evaluating every term of every predicate on every version. Terms
 * without captures are compared with plain Java.
 */
public final class TruthOracle {
  private TruthOracle() {}

  /** One text a version that makes a term true: predicate, place, binding, key and version. */
  public static Set<String> holding(
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
    String value = decoded(version.value());
    if (value == null) {
      return;
    }
    List<Clause> clauses = active.predicate().violation();
    for (int c = 0; c < clauses.size(); c++) {
      for (int t = 0; t < clauses.get(c).terms().size(); t++) {
        Term term = clauses.get(c).terms().get(t);
        Binding binding = bind(term, keyText, value);
        if (binding != null
            && active.predicate().where().stream().allMatch(one -> holds(one, binding))) {
          holding.add(
              name(active.name(), active.version(), c, t, binding.toString(), key, version));
        }
      }
    }
  }

  private static @Nullable String decoded(byte[] value) {
    try {
      return UTF_8.newDecoder().decode(ByteBuffer.wrap(value)).toString();
    } catch (CharacterCodingException e) {
      return null;
    }
  }

  private static @Nullable Binding bind(Term term, String key, String value) {
    Binding byKey = term.variable().match(key);
    Comparison comparison = term.comparison();
    if (byKey == null || comparison instanceof Comparison.Equals) {
      return term.bind(key, value);
    }
    List<String> operands = comparison.operands().stream().map(o -> filled(o, byKey)).toList();
    String first = operands.get(0);
    boolean holds;
    if (comparison instanceof Comparison.NotEquals) {
      holds = !value.equals(first);
    } else if (comparison instanceof Comparison.In) {
      holds = operands.contains(value);
    } else if (comparison instanceof Comparison.Matches) {
      holds = value.matches(first);
    } else {
      holds = inOrder(value, ((Comparison.Ordered) comparison).order().name(), first);
    }
    return holds ? byKey : null;
  }

  private static boolean holds(Condition condition, Binding binding) {
    String left = filled(condition.left().toString(), binding);
    String right = filled(condition.right().toString(), binding);
    return switch (condition.operator()) {
      case EQUAL -> left.equals(right);
      case NOT_EQUAL -> !left.equals(right);
      default -> inOrder(left, condition.operator().name(), right);
    };
  }

  private static boolean inOrder(String left, String order, String right) {
    int compared;
    try {
      BigDecimal number = new BigDecimal(left.strip());
      if (Math.abs((long) number.scale()) > Decimal.EXPONENT_MAX) {
        return false;
      }
      compared = number.compareTo(new BigDecimal(right.strip()));
    } catch (NumberFormatException e) {
      return false;
    }
    return switch (order) {
      case "BELOW" -> compared < 0;
      case "AT_MOST" -> compared <= 0;
      case "ABOVE" -> compared > 0;
      default -> compared >= 0;
    };
  }

  private static String filled(String text, Binding binding) {
    String filled = text;
    for (Map.Entry<String, String> capture : binding.values().entrySet()) {
      filled = filled.replace("{" + capture.getKey() + "}", capture.getValue());
    }
    return filled;
  }

  public static String name(OpenInterval interval) {
    WatchedTerm term = interval.holding().term();
    return name(
        term.predicate(),
        term.version(),
        term.clause(),
        term.index(),
        interval.holding().binding().toString(),
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
