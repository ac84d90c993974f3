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
import org.junit.jupiter.api.Test;

/** When values stood, against a search over all times at which the writes can take effect. */
class StandingOracleTest {
  private static final int SEEDS = Integer.getInteger("palinode.seeds", 2_000);
  private static final int LAST = 14;
  private static final long NEVER = Operation.UNKNOWN;

  /** Times are microseconds; between two of them the search has three points. */
  private static final int POINTS = 4;

  @Test
  void aValueCountsExactlyWhenItSurelyOrPossiblyStood() {
    for (int seed = 0; seed < SEEDS; seed++) {
      Random random = new Random(seed);
      int epsilon = random.nextInt(3);
      List<Operation> operations = operations(random);
      for (Held held : Held.values()) {
        List<Value> values = new Standing(held, Epsilon.ofMicros(epsilon)).of(operations);
        for (Operation write : operations) {
          for (int at = 2; at < (LAST + 6) * POINTS; at += POINTS) {
            assertThat(stands(values, write, at))
                .as("seed=%d held=%s write=%s at=%s us", seed, held, write, at / (double) POINTS)
                .isEqualTo(
                    held == Held.POSSIBLY
                        ? canStand(write, at, write.node(), operations, epsilon)
                        : mustStand(write, at, operations, epsilon));
          }
        }
      }
    }
  }

  private static List<Operation> operations(Random random) {
    List<Operation> operations = new ArrayList<>();
    int nodes = 1 + random.nextInt(2);
    int writes = 1 + random.nextInt(5);
    for (int i = 0; i < writes; i++) {
      int invoked = random.nextInt(LAST);
      long completed =
          random.nextInt(8) == 0 ? NEVER : Hlc.ofMicros(invoked + 1 + random.nextInt(5));
      operations.add(
          new Operation(
              i,
              random.nextInt(nodes),
              Hlc.ofMicros(invoked),
              completed,
              Map.of("x", Optional.of("value " + i)),
              Map.of()));
    }
    return operations;
  }

  private static boolean stands(List<Value> values, Operation write, int at) {
    long hlc = Hlc.ofMicros(at) / POINTS;
    String text = "value " + write.number();
    return values.stream()
        .anyMatch(value -> value.value().equals(text) && value.start() < hlc && hlc < value.end());
  }

  /** Whatever the times of the effects, the last effect before {@code at} is the write's. */
  private static boolean mustStand(
      Operation write, int at, List<Operation> operations, int epsilon) {
    boolean canBeUnset = operations.stream().allMatch(of -> end(of, write.node(), epsilon) > at);
    return !canBeUnset
        && operations.stream()
            .noneMatch(
                other ->
                    !other.equals(write) && canStand(other, at, write.node(), operations, epsilon));
  }

  /** There is a time of this effect before {@code at} with no other effect that must follow it. */
  private static boolean canStand(
      Operation write, int at, int clock, List<Operation> operations, int epsilon) {
    for (int effect = 1 - 3 * POINTS; effect < at; effect += 2) {
      boolean ownTime =
          start(write, clock, epsilon) < effect && effect < end(write, clock, epsilon);
      if (ownTime && canBeLast(write, effect, at, clock, operations, epsilon)) {
        return true;
      }
    }
    return false;
  }

  private static boolean canBeLast(
      Operation write, int effect, int at, int clock, List<Operation> operations, int epsilon) {
    return operations.stream()
        .allMatch(
            other ->
                other.equals(write)
                    || start(other, clock, epsilon) < effect
                    || end(other, clock, epsilon) > at);
  }

  private static long start(Operation operation, int clock, int epsilon) {
    long margin = operation.node() == clock ? 0 : epsilon;
    return (Hlc.micros(operation.invoked()) - margin) * POINTS;
  }

  private static long end(Operation operation, int clock, int epsilon) {
    long margin = operation.node() == clock ? 0 : epsilon;
    return operation.completed() == NEVER
        ? Long.MAX_VALUE
        : (Hlc.micros(operation.completed()) + margin) * POINTS;
  }
}
