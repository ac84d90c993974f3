package io.palinode.hazelcast.member;

import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.LongPredicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Publishes a coverage gap every 10 s while the member has changes that the node does not observe.
 * The gaps cover all time since the last look that found no cause. For one thread.
 */
final class Blindness {
  private static final Logger log = LoggerFactory.getLogger(Blindness.class);
  private static final long GAP_EVERY_NANOS = TimeUnit.SECONDS.toNanos(10);

  private final LongPredicate gapSince;
  private volatile Set<String> causes = Set.of();
  private long coveredUpTo;
  private long gapAt;
  private boolean isDue;

  /**
   * @param gapSince publishes a coverage gap from an HLC to now; false if that is not possible yet
   */
  Blindness(LongPredicate gapSince, long coveredUpTo) {
    this.gapSince = gapSince;
    this.coveredUpTo = coveredUpTo;
  }

  /**
   * @param found a sentence for each cause
   * @param hlc read before the look for causes
   */
  void look(Set<String> found, long nowNanos, long hlc) {
    if (!found.equals(causes)) {
      isDue = true;
      found.stream()
          .filter(cause -> !causes.contains(cause))
          .forEach(cause -> log.error("agent state=UNWATCHED {}", cause));
      causes = Set.copyOf(found);
    }
    if (causes.isEmpty() && !isDue) {
      coveredUpTo = hlc;
    } else if (isDue || nowNanos - gapAt >= GAP_EVERY_NANOS) {
      gapAt = nowNanos;
      isDue = !gapSince.test(coveredUpTo);
      coveredUpTo = isDue ? coveredUpTo : hlc;
    }
  }

  Set<String> causes() {
    return causes;
  }
}
