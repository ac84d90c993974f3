package io.palinode.benchmarks.online;

import io.palinode.benchmarks.StoreLoad.Request;
import java.util.StringJoiner;
import java.util.function.Supplier;

/**
 * The papers' conjunctive workload: a put sets the next of many variables to 1, of which only the
 * first are terms of the predicate. A variable is never reset, so each put of a term ends one of
 * its intervals and begins another, and completes a violation once all terms have a value.
 *
 * @param terms of the predicate
 * @param beta the share of operations that put a term
 * @param puts the share of operations that are puts; the others read the next variable
 */
public record Conjunction(int terms, double beta, double puts) {
  public static final String NAME = "bench-conjunction";
  private static final String TRUE = "1";

  public Conjunction {
    if (terms < 2 || !(beta > 0 && beta <= puts && puts <= 1)) {
      throw new IllegalArgumentException(
          "terms must be at least 2 and 0 < beta <= puts <= 1: terms=%d beta=%s puts=%s"
              .formatted(terms, beta, puts));
    }
  }

  /** The operations of one of {@code clients} clients, which begin at different variables. */
  public Supplier<Request> requests(int client, int clients) {
    return new Client((long) variables() * client / clients);
  }

  /** Of which {@link #terms} are in the predicate. */
  int variables() {
    return Math.max(terms, (int) Math.round(terms * puts / beta));
  }

  /** The predicate; what it finds stands. */
  public String yaml() {
    StringJoiner all = new StringJoiner("\n");
    for (int term = 1; term <= terms; term++) {
      all.add("        - {var: \"x%d\", equals: \"%s\"}".formatted(term, TRUE));
    }
    return """
        apiVersion: palinode.io/v1
        kind: Predicate
        metadata: {name: %s}
        spec:
          violation:
            - all:
        %s
        """
        .formatted(NAME, all);
  }

  /** Not thread-safe. */
  private final class Client implements Supplier<Request> {
    private long put;
    private long operations;

    Client(long first) {
      this.put = first;
    }

    @Override
    public Request get() {
      operations++;
      boolean isPut = (long) (operations * puts) > (long) ((operations - 1) * puts);
      String key = "x" + (put % variables() + 1);
      put += isPut ? 1 : 0;
      return new Request(key, isPut ? TRUE : null);
    }
  }
}
