package io.palinode.predicate;

import io.palinode.hvc.Epsilon;
import io.palinode.hvc.Grade;
import io.palinode.hvc.Uncertainty;
import io.palinode.predicate.OnViolation.OnUnreachable;
import io.palinode.predicate.OnViolation.RollbackTarget;
import io.palinode.predicate.OnViolation.WhenFrequent;
import io.palinode.predicate.template.Condition;
import io.palinode.predicate.template.Decimal;
import io.palinode.predicate.template.Order;
import io.palinode.predicate.template.Regex;
import io.palinode.predicate.template.Template;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Any valid predicate, with a liking for text that is hard to write down. */
public final class RandomPredicate {
  private static final List<OnViolation.Approval> APPROVALS =
      List.of(OnViolation.Approval.values());
  private static final List<String> HARD =
      List.of(
          "\"",
          "\\",
          "'",
          "&",
          "<",
          ">",
          "]]>",
          "{{",
          "}}",
          "#",
          ": ",
          "- ",
          " ",
          "\t",
          "\n",
          "\r",
          "\r\n",
          "\u0085",
          "\u2028",
          "\u2029",
          "\uFEFF",
          "\u007F",
          "\u009F",
          "\u00A0",
          "\uFFFD",
          "ä",
          "水",
          "\uD83D\uDE00",
          "null",
          "~",
          "1e3",
          "0x1F",
          "yes",
          "*a",
          "&a",
          "!!int",
          "|",
          "%",
          "@",
          "`",
          "?",
          "<!--",
          "<![CDATA[",
          "--- ",
          "\n---\n");

  private static final List<String> REGEXES =
      List.of(
          "", " ", "[a-z]+", "(?i)\\w{2,3}|\"x\"", "\\Q{a}\\E", "a\tb\n", "\\pL*", "<&>'{", "x{1}");

  private static final List<String> ALERTS =
      List.of(
          "console",
          "kafka:ops.alerts_1-x",
          "webhook:https://alerts.example/x?a=1&b=%20",
          "alertmanager:http://[::1]:80/");

  private final Random random;

  public RandomPredicate(long seed) {
    this.random = new Random(seed);
  }

  public Predicate next() {
    Map<String, Template> forEach = forEach();
    List<String> captures =
        forEach.values().stream().flatMap(t -> t.captures().stream()).distinct().toList();
    List<Clause> violation = violation(captures);
    boolean isWithin = violation.get(0).isWithin();
    List<PredicateClass> classes = new ArrayList<>(List.of(PredicateClass.values()));
    classes.removeIf(c -> c.compareTo(PredicateClass.narrowest(violation)) < 0);
    return new Predicate(
        "p" + "-._0aZ".substring(random.nextInt(6)) + random.nextInt(100),
        labels(),
        pick(classes),
        epsilon(isWithin || violation.stream().anyMatch(clause -> clause.shape().lasts())),
        pick(List.of(Uncertainty.values())),
        isWithin
                || violation.stream()
                    .anyMatch(
                        clause ->
                            clause.hasGroups()
                                || clause.isOfStates()
                                || clause.isOfReads()
                                || clause.shape().lasts())
            ? ReplicaRule.ANY
            : pick(List.of(ReplicaRule.values())),
        forEach,
        where(captures),
        violation,
        onViolation(captures, targets(violation.get(0))));
  }

  private List<Clause> violation(List<String> captures) {
    return switch (random.nextInt(16)) {
      case 0, 1 -> List.of(replicasDiverged(captures));
      case 2, 3 ->
          List.of(
              new Clause(
                  new ClauseRule.Within(duration()),
                  list(2, 2, () -> LocalPredicate.of(term(captures)))));
      default -> list(1, 4, () -> clause(captures));
    };
  }

  private static List<RollbackTarget> targets(Clause clause) {
    if (clause.isOfStates()) {
      return List.of();
    }
    return clause.isWithin()
        ? List.of(RollbackTarget.BEFORE_FIRST_WITNESS)
        : List.of(RollbackTarget.values());
  }

  private Map<String, Template> forEach() {
    Map<String, Template> forEach = new TreeMap<>();
    List<String> names = new ArrayList<>(List.of("a", "b", "k", "Long_name9"));
    for (int i = random.nextInt(4); i > 0; i--) {
      forEach.put("entry-" + i, pattern(List.of(names.remove(random.nextInt(names.size())))));
    }
    return forEach;
  }

  private Map<String, String> labels() {
    Map<String, String> labels = new TreeMap<>();
    for (int i = random.nextInt(4); i > 0; i--) {
      labels.put(pick(List.of("app", "no", "null", "team/a", "1.5")), text());
    }
    return labels;
  }

  private @Nullable Epsilon epsilon(boolean isFinite) {
    return switch (random.nextInt(4)) {
      case 0 -> isFinite ? null : Epsilon.INFINITE;
      case 1 -> Epsilon.ofMicros(random.nextLong(Predicate.EPSILON_MAX.micros() + 1));
      case 2 -> Epsilon.ofMicros(random.nextInt(3) * 1_000L);
      default -> null;
    };
  }

  private Clause clause(List<String> captures) {
    Clause clause = clauseOfMoment(captures);
    boolean lasts = random.nextInt(4) == 0 && !clause.isOfOperations();
    return lasts ? new Clause(clause.rule(), clause.of(), duration()) : clause;
  }

  private Clause clauseOfMoment(List<String> captures) {
    return switch (random.nextInt(7)) {
      case 6 -> ofOperation(captures);
      case 0 -> sum(captures);
      case 5 -> total(captures);
      case 4 -> distinct(captures);
      case 1 -> {
        List<LocalPredicate> of = list(1, 5, () -> localPredicate(captures));
        yield new Clause(new ClauseRule.AtLeast(1 + random.nextInt(of.size())), of);
      }
      default -> new Clause(ClauseRule.ALL, list(1, 5, () -> localPredicate(captures)));
    };
  }

  private Clause distinct(List<String> captures) {
    int count =
        ClauseRule.DISTINCT_MIN
            + random.nextInt(ClauseRule.DISTINCT_MAX - ClauseRule.DISTINCT_MIN + 1);
    List<String> all = new ArrayList<>(captures);
    all.add(random.nextInt(all.size() + 1), "m");
    return new Clause(new ClauseRule.AtLeast(count, "m"), List.of(LocalPredicate.of(term(all))));
  }

  private Clause replicasDiverged(List<String> captures) {
    Duration longerThan = duration();
    Term variable =
        new Term(store(), Template.parse("v" + pattern(captures)), new Comparison.AnyState());
    return new Clause(
        new ClauseRule.ReplicasDiverged(longerThan), List.of(LocalPredicate.of(variable)));
  }

  private Clause ofOperation(List<String> captures) {
    Template variable = Template.parse("v" + pattern(captures));
    Comparison comparison =
        switch (random.nextInt(3)) {
          case 0 -> new Comparison.StaleRead();
          case 1 -> new Comparison.NonMonotonicRead();
          default -> new Comparison.LostUpdate();
        };
    return new Clause(List.of(new Term(store(), variable, comparison)));
  }

  private Duration duration() {
    return random.nextBoolean()
        ? Duration.ofSeconds(1 + random.nextInt(86_400))
        : Duration.ofMillis(1 + random.nextInt(86_400_000));
  }

  private LocalPredicate localPredicate(List<String> captures) {
    int terms = random.nextInt(5) == 0 ? 2 + random.nextInt(2) : 1;
    return new LocalPredicate(list(terms, terms, () -> term(captures)));
  }

  private Clause sum(List<String> captures) {
    List<LocalPredicate> of = list(1, 4, () -> LocalPredicate.of(variable(captures)));
    ClauseRule.Relation relation = pick(List.of(ClauseRule.Relation.values()));
    List<Decimal> times =
        random.nextBoolean() ? List.of() : list(of.size(), of.size(), this::times);
    return new Clause(new ClauseRule.Sum(relation, decimal(), times), of);
  }

  private Clause total(List<String> captures) {
    List<String> all = new ArrayList<>(captures);
    all.add(random.nextInt(all.size() + 1), "m");
    int count = 2 + random.nextInt(ClauseRule.MEMBERS_MAX - 1);
    ClauseRule.Relation relation = pick(List.of(ClauseRule.Relation.values()));
    return new Clause(
        new ClauseRule.Sum(
            relation,
            decimal(),
            random.nextBoolean() ? List.of() : List.of(times()),
            new ClauseRule.Sum.Members(count, "m")),
        List.of(LocalPredicate.of(variable(all))));
  }

  private Term variable(List<String> captures) {
    return new Term(store(), Template.parse("v" + pattern(captures)), new Comparison.IsNumber());
  }

  private Decimal times() {
    Decimal times =
        random.nextBoolean() ? Decimal.parse(pick(List.of("1", "-1", "1.0"))) : decimal();
    return times.value().signum() == 0 ? Decimal.parse("2") : times;
  }

  private @Nullable String store() {
    return random.nextInt(4) == 0 ? pick(List.of("accounts", "no", "1.5")) : null;
  }

  /** Each capture stands in the variable, or in a value that binds it, or in both. */
  private Term term(List<String> captures) {
    if (random.nextBoolean()) {
      return new Term(store(), Template.parse("v" + pattern(captures)), comparison(captures));
    }
    List<String> inKey = new ArrayList<>();
    List<String> inValue = new ArrayList<>();
    for (String capture : captures) {
      int where = random.nextInt(3);
      if (where != 0) {
        inKey.add(capture);
      }
      if (where != 1) {
        inValue.add(capture);
      }
    }
    return new Term(
        store(), Template.parse("v" + pattern(inKey)), new Comparison.Equals(pattern(inValue)));
  }

  /** One that binds nothing. */
  private Comparison comparison(List<String> captures) {
    return switch (random.nextInt(4)) {
      case 0 -> new Comparison.NotEquals(pattern(some(captures)));
      case 1 -> new Comparison.In(list(1, 4, () -> pattern(some(captures))));
      case 2 -> new Comparison.Matches(Regex.parse(pick(REGEXES)));
      default -> new Comparison.Ordered(pick(List.of(Order.values())), decimal());
    };
  }

  private List<String> some(List<String> captures) {
    return captures.stream().filter(capture -> random.nextBoolean()).toList();
  }

  private Decimal decimal() {
    BigInteger digits = new BigInteger(random.nextInt(random.nextBoolean() ? 10 : 332), random);
    int length = new BigDecimal(digits).precision();
    int exponent = random.nextInt(random.nextBoolean() ? 10 : Decimal.EXPONENT_MAX + 1);
    int scale = length - 1 - (random.nextBoolean() ? exponent : -exponent);
    return new Decimal(new BigDecimal(random.nextBoolean() ? digits : digits.negate(), scale));
  }

  private List<Condition> where(List<String> captures) {
    return captures.isEmpty() ? List.of() : list(0, 3, () -> condition(captures));
  }

  private Condition condition(List<String> captures) {
    Condition.Operator operator = pick(List.of(Condition.Operator.values()));
    Condition.Operand capture = new Condition.Capture(pick(captures));
    Condition.Operand other =
        switch (random.nextInt(3)) {
          case 0 -> new Condition.Capture(pick(captures));
          case 1 -> new Condition.Constant(decimal().toString());
          default -> new Condition.Constant(operator.isOrder() ? "1" : text());
        };
    return random.nextBoolean()
        ? new Condition(capture, operator, other)
        : new Condition(other, operator, capture);
  }

  private Template pattern(List<String> captures) {
    StringBuilder pattern = new StringBuilder(random.nextInt(3) == 0 ? "" : text());
    for (int i = 0; i < captures.size(); i++) {
      pattern.append(i == 0 ? "" : "_").append('{').append(captures.get(i)).append('}');
      if (random.nextInt(4) == 0) {
        pattern.append("/" + text() + "{").append(captures.get(i)).append('}');
      }
    }
    return Template.parse(pattern + (random.nextBoolean() ? text() : ""));
  }

  private String text() {
    return String.join("", list(0, 4, () -> random.nextInt(3) == 0 ? "x" : pick(HARD)));
  }

  private OnViolation.Budget budget() {
    return new OnViolation.Budget(
        1 + random.nextInt(OnViolation.Budget.AT_MOST_MAX),
        Duration.ofMillis(1 + random.nextInt(86_400_000)));
  }

  private OnViolation onViolation(List<String> captures, List<RollbackTarget> targets) {
    RollbackTarget target = targets.isEmpty() || random.nextBoolean() ? null : pick(targets);
    List<String> alerts = ALERTS.subList(0, random.nextInt(ALERTS.size() + 1));
    return new OnViolation(
        target,
        pick(List.of(Grade.values())),
        pick(List.of(Grade.values())),
        alerts,
        new OnViolation.RollbackRules(
            target == null || random.nextBoolean() ? null : whenFrequent(captures),
            target == null ? OnUnreachable.HALT : pick(List.of(OnUnreachable.values())),
            target == null || random.nextBoolean() ? null : budget(),
            target == null ? OnViolation.Approval.AUTOMATIC : pick(APPROVALS),
            target == null
                ? OnViolation.RollbackScope.ALL
                : pick(List.of(OnViolation.RollbackScope.values()))));
  }

  private WhenFrequent whenFrequent(List<String> captures) {
    long unit = pick(List.of(1L, 1_000L, 60_000L, 3_600_000L));
    return new WhenFrequent(
        1 + random.nextInt(1_000),
        Duration.ofMillis(unit * (1 + random.nextInt(24))),
        list(0, 3, () -> pattern(captures)));
  }

  private <T> T pick(List<T> items) {
    return items.get(random.nextInt(items.size()));
  }

  private <T> List<T> list(int min, int max, java.util.function.Supplier<T> next) {
    List<T> items = new ArrayList<>();
    for (int i = min + random.nextInt(max - min + 1); i > 0; i--) {
      items.add(next.get());
    }
    return items;
  }
}
