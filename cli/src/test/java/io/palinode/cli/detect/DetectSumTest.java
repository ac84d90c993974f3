package io.palinode.cli.detect;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.function.LongBinaryOperator;
import org.junit.jupiter.api.Test;

/** The command with sums, whose searches may stop at their limit. */
class DetectSumTest extends DetectFixture {
  @Test
  void aSumOfManyVariablesOnManyReplicasIsDecided() throws IOException {
    Files.writeString(predicate, sumOf(14, "equals: 301"));
    String[] even = sum(14, 6, (variable, node) -> 20 + 2 * (variable * node % 5));
    assertThat(detect(even)).as("even values have no odd sum").isZero();
    Files.writeString(predicate, sumOf(14, "equals: 300"));
    assertThat(detect(even)).isOne();
    assertThat(err.toString()).isEmpty();
  }

  @Test
  void aSearchOfTooManyStepsIsUnknown() throws IOException {
    Files.writeString(predicate, sumOf(14, "equals: 700000000000001"));
    Random random = new Random(3);
    String[] hard = sum(14, 6, (variable, node) -> random.nextLong(100_000_000_000_000L));
    assertThat(detectWith(List.of("--search-steps-max", "20000"), hard)).isEqualTo(3);
    assertThat(err.toString())
        .startsWith("palinode: unknown: ")
        .contains(" searches were stopped after too many steps, so violations from 1")
        .contains(" on may be missing (--search-steps-max allows more than 20,000)")
        .hasLineCount(1);
    nanosPerLook = TimeUnit.SECONDS.toNanos(1);
    assertThat(detectWith(List.of("--search-steps-max", "2000000"), hard)).isZero();
    assertThat(err.toString()).contains("judging ");
    assertThat(detectWith(List.of("--search-steps-max", "0"), hard)).isEqualTo(2);
    assertThat(err.toString()).contains("--search-steps-max must be at least 1: 0");
  }

  @Test
  void aSumWithFactorsComparesTwoVariables() throws IOException {
    String balance =
        """
        apiVersion: palinode.io/v1
        kind: Predicate
        metadata: {name: p}
        spec:
          replicas: any
          violation:
            - sum: {of: [x0, {var: x1, times: -1}], %s}
        """;
    String[] five = sum(2, 1, (variable, node) -> 5);
    String[] rising = sum(2, 1, (variable, node) -> 5 + variable);
    Files.writeString(predicate, balance.formatted("below: 0"));
    assertThat(detect(five)).isZero();
    assertThat(detect(rising)).isEqualTo(1);
    assertThat(out.toString()).contains("; the sum is -1 (below: 0)\"");
    Files.writeString(predicate, balance.formatted("notEquals: -1"));
    assertThat(detect(five)).isEqualTo(1);
    assertThat(detect(rising)).isZero();
  }

  static String sumOf(int variables, String bound) {
    StringBuilder yaml =
        new StringBuilder(
            """
            apiVersion: palinode.io/v1
            kind: Predicate
            metadata: {name: p}
            spec:
              replicas: any
              violation:
                - sum:
                    %s
                    of: [x0\
            """
                .formatted(bound));
    for (int variable = 1; variable < variables; variable++) {
      yaml.append(", x").append(variable);
    }
    return yaml.append("]\n").toString();
  }

  /** Each variable has an open interval on each node. */
  static String[] sum(int variables, int nodes, LongBinaryOperator value) {
    List<String> trace = new ArrayList<>();
    for (int node = 0; node < nodes; node++) {
      for (int variable = 0; variable < variables; variable++) {
        String entries = "0/".repeat(node) + (100 + variable) + "/0".repeat(nodes - 1 - node);
        String line = line(node, variable, variable, entries, null);
        trace.add(valued("x" + variable, String.valueOf(value.applyAsLong(variable, node)), line));
      }
    }
    return trace.toArray(String[]::new);
  }
}
