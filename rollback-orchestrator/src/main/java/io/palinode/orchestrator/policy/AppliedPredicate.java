package io.palinode.orchestrator.policy;

import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A version of a predicate in force.
 *
 * @param yaml its canonical form
 * @param absent the stores that it names and no node has; null: there is none
 */
public record AppliedPredicate(
    String name, long version, String yaml, @Nullable AbsentStores absent) {
  /** Why it may find nothing, each with the way out. */
  public List<String> warnings() {
    return Stream.ofNullable(absent).map(AbsentStores::warning).toList();
  }
}
