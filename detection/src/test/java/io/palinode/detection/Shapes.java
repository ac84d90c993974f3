package io.palinode.detection;

import io.palinode.predicate.ClauseRule;
import io.palinode.predicate.ClauseShape;
import io.palinode.predicate.template.Decimal;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Random clauses of a kind; each oracle test is run for each. */
enum Shapes {
  CONJUNCTIVE {
    @Override
    ClauseShape next(Random random) {
      return ClauseShape.all(2 + random.nextInt(3));
    }
  },
  K_OF_N {
    @Override
    ClauseShape next(Random random) {
      int locals = 2 + random.nextInt(3);
      int count = 1 + random.nextInt(locals);
      return new ClauseShape(new ClauseRule.AtLeast(count), Collections.nCopies(locals, 1));
    }
  },
  /** Terms on the same node; not for joined replicas. */
  GROUPS {
    @Override
    ClauseShape next(Random random) {
      List<Integer> termsOf = new ArrayList<>(List.of(2));
      for (int left = 1 + random.nextInt(2); left > 0; left--) {
        termsOf.add(random.nextInt(termsOf.size() + 1), 1 + random.nextInt(2));
      }
      int count = 1 + random.nextInt(termsOf.size());
      return new ClauseShape(
          random.nextBoolean() ? ClauseRule.ALL : new ClauseRule.AtLeast(count), termsOf);
    }
  },
  /** Intervals of one term, of different members. */
  DISTINCT {
    @Override
    ClauseShape next(Random random) {
      return new ClauseShape(new ClauseRule.AtLeast(2 + random.nextInt(2), "m"), List.of(1));
    }
  },
  SUM {
    @Override
    ClauseShape next(Random random) {
      Decimal limit = new Decimal(BigDecimal.valueOf(random.nextInt(5) - 2));
      return new ClauseShape(
          new ClauseRule.Sum(RELATIONS.get(random.nextInt(RELATIONS.size())), limit),
          Collections.nCopies(1 + random.nextInt(4), 1));
    }
  },
  /** With a factor for each variable; half of them of sums that are not a number. */
  WEIGHTED_SUM {
    @Override
    ClauseShape next(Random random) {
      ClauseRule.Relation relation =
          random.nextBoolean()
              ? ClauseRule.Relation.NOT_EQUALS
              : RELATIONS.get(random.nextInt(RELATIONS.size()));
      Decimal limit = new Decimal(BigDecimal.valueOf(random.nextInt(5) - 2));
      List<Decimal> times = new ArrayList<>();
      for (int left = 1 + random.nextInt(4); left > 0; left--) {
        times.add(TIMES.get(random.nextInt(TIMES.size())));
      }
      return new ClauseShape(
          new ClauseRule.Sum(relation, limit, times), Collections.nCopies(times.size(), 1));
    }
  },
  /** Of intervals of one term, of different members. */
  TOTAL {
    @Override
    ClauseShape next(Random random) {
      ClauseRule.Relation[] relations = ClauseRule.Relation.values();
      return new ClauseShape(
          new ClauseRule.Sum(
              relations[random.nextInt(relations.length)],
              new Decimal(BigDecimal.valueOf(random.nextInt(5) - 2)),
              List.of(TIMES.get(random.nextInt(TIMES.size()))),
              new ClauseRule.Sum.Members(2 + random.nextInt(3), "m")),
          List.of(1));
    }
  };

  private static final List<ClauseRule.Relation> RELATIONS =
      List.of(
          ClauseRule.Relation.BELOW,
          ClauseRule.Relation.AT_MOST,
          ClauseRule.Relation.EQUALS,
          ClauseRule.Relation.AT_LEAST,
          ClauseRule.Relation.ABOVE);
  private static final int MEMBERS = 4;
  private static final List<Decimal> TIMES =
      Stream.of("1", "-1", "2", "-0.5").map(Decimal::parse).toList();

  abstract ClauseShape next(Random random);

  /** What turns true and false at a node: a term, with {@code distinct} for one of its members. */
  record Variable(int clause, int term, String member) {}

  /** In the order of clauses and terms. */
  static List<Variable> variables(List<ClauseShape> clauses) {
    List<Variable> variables = new ArrayList<>();
    for (int clause = 0; clause < clauses.size(); clause++) {
      for (int member = 0; clauses.get(clause).isDistinct() && member < MEMBERS; member++) {
        variables.add(new Variable(clause, 0, "m=" + member));
      }
      for (int term = 0;
          !clauses.get(clause).isDistinct() && term < clauses.get(clause).terms();
          term++) {
        variables.add(new Variable(clause, term, ""));
      }
    }
    return variables;
  }

  /** The oracles' own rule: the sum of the values, each times its factor. */
  static BigDecimal sum(ClauseRule.Sum rule, List<Candidate> of) {
    BigDecimal sum = BigDecimal.ZERO;
    for (Candidate each : of) {
      BigDecimal value = Objects.requireNonNull(each.amount());
      sum =
          sum.add(
              rule.times().isEmpty()
                  ? value
                  : value.multiply(rule.times().get(each.term()).value()));
    }
    return sum;
  }

  /** One or two clauses. */
  List<ClauseShape> some(Random random) {
    List<ClauseShape> clauses = new ArrayList<>();
    for (int left = 1 + random.nextInt(2); left > 0; left--) {
      clauses.add(next(random));
    }
    return clauses;
  }

  /** A value of a variable, if the clause is about a sum; of few different ones. */
  static @Nullable BigDecimal amount(ClauseShape shape, Random random) {
    return shape.rule() instanceof ClauseRule.Sum
        ? BigDecimal.valueOf(random.nextInt(7) - 3L)
        : null;
  }
}
