package io.palinode.cli.trace;

import static org.assertj.core.api.Assertions.assertThat;

import io.palinode.cli.trace.Standing.Held;
import io.palinode.cli.trace.Standing.Value;
import io.palinode.hvc.Epsilon;
import io.palinode.hvc.Hlc;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.function.Function;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;

/** When values stood, against a search over all times at which the writes can take effect. */
class StandingOracleTest {
  private static final int SEEDS = Integer.getInteger("palinode.seeds", 2_000);
  private static final int LAST = 14;
  private static final long NEVER = Operation.UNKNOWN;

  /** Facts that a letter makes true. */
  private static final Map<Character, List<String>> LETTERS =
      Map.of('a', List.of("1"), 'b', List.of("1", "2"), 'c', List.of("2", "3"));

  /** Times are microseconds; between two of them the search has three points. */
  private static final int POINTS = 4;

  @Test
  void aFactCountsExactlyWhenItSurelyOrPossiblyHeld() {
    for (int seed = 0; seed < SEEDS; seed++) {
      Random random = new Random(seed);
      int epsilon = random.nextInt(3);
      List<Operation> operations = operations(random);
      for (Held held : Held.values()) {
        new Case(seed, held, operations, epsilon, List::of).check();
        new Case(seed, held, operations, epsilon, value -> LETTERS.get(value.charAt(0))).check();
      }
    }
  }

  /** Values are a letter and a unique number. */
  private static List<Operation> operations(Random random) {
    List<Operation> operations = new ArrayList<>();
    int nodes = 1 + random.nextInt(2);
    int writes = 1 + random.nextInt(5);
    for (int i = 0; i < writes; i++) {
      int invoked = random.nextInt(LAST);
      long completed =
          random.nextInt(8) == 0 ? NEVER : Hlc.ofMicros(invoked + 1 + random.nextInt(5));
      String value = "abc".charAt(random.nextInt(3)) + "" + i;
      operations.add(
          new Operation(
              i,
              random.nextInt(nodes),
              Hlc.ofMicros(invoked),
              completed,
              Map.of("x", random.nextInt(8) == 0 ? Optional.empty() : Optional.of(value)),
              Map.of()));
    }
    return operations;
  }

  /**
   * One history.
   *
   * @param facts those that a value makes true
   */
  private record Case(
      int seed,
      Held held,
      List<Operation> operations,
      int epsilon,
      Function<String, List<String>> facts) {
    /** A clock has each fact from its first write on that finds it true. */
    void check() {
      List<Value<String>> values =
          new Standing<>(held, Epsilon.ofMicros(epsilon), (key, value) -> facts.apply(value))
              .of(operations);
      for (int clock = 0; clock < 2; clock++) {
        for (String fact : all()) {
          boolean counts = false;
          for (int at = 2; at < (LAST + 6) * POINTS; at += POINTS) {
            counts = holds(fact, clock, at) && (counts || begins(fact, clock, at));
            assertThat(has(values, fact, clock, at))
                .as("%s fact=%s clock=%d at=%s us", this, fact, clock, at / (double) POINTS)
                .isEqualTo(counts);
          }
        }
      }
    }

    private List<String> all() {
      return operations.stream().flatMap(write -> of(write).stream()).distinct().toList();
    }

    private List<String> of(Operation write) {
      return write.writes().getOrDefault("x", Optional.empty()).map(facts).orElse(List.of());
    }

    private boolean has(List<Value<String>> values, String fact, int clock, int at) {
      long hlc = Hlc.ofMicros(at) / POINTS;
      return values.stream()
          .filter(value -> value.node() == clock)
          .filter(value -> value.fact().equals(fact))
          .anyMatch(value -> value.start() < hlc && hlc < value.end());
    }

    /** Whether an own write counts from right before {@code at}. */
    private boolean begins(String fact, int clock, int at) {
      long before = Hlc.ofMicros(at / POINTS);
      return operations.stream()
          .filter(write -> write.node() == clock && of(write).contains(fact))
          .anyMatch(write -> (held == Held.SURELY ? write.completed() : write.invoked()) == before);
    }

    private boolean holds(String fact, int clock, int at) {
      Predicate<Operation> canBe = write -> canStand(write, at, clock);
      if (held == Held.POSSIBLY) {
        return operations.stream().filter(write -> of(write).contains(fact)).anyMatch(canBe);
      }
      boolean canBeUnset = operations.stream().allMatch(of -> end(of, clock) > at);
      return !canBeUnset
          && operations.stream().filter(write -> !of(write).contains(fact)).noneMatch(canBe);
    }

    /** There is a time of this effect before {@code at}, and no other effect must follow it. */
    private boolean canStand(Operation write, int at, int clock) {
      for (int effect = 1 - 3 * POINTS; effect < at; effect += 2) {
        boolean ownTime = start(write, clock) < effect && effect < end(write, clock);
        if (ownTime && canBeLast(write, effect, at, clock)) {
          return true;
        }
      }
      return false;
    }

    private boolean canBeLast(Operation write, int effect, int at, int clock) {
      return operations.stream()
          .allMatch(
              other ->
                  other.equals(write) || start(other, clock) < effect || end(other, clock) > at);
    }

    private long start(Operation operation, int clock) {
      long margin = operation.node() == clock ? 0 : epsilon;
      return (Hlc.micros(operation.invoked()) - margin) * POINTS;
    }

    private long end(Operation operation, int clock) {
      long margin = operation.node() == clock ? 0 : epsilon;
      return operation.completed() == NEVER
          ? Long.MAX_VALUE
          : (Hlc.micros(operation.completed()) + margin) * POINTS;
    }
  }
}
