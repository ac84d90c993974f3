package io.palinode.orchestrator.alert;

import io.palinode.predicate.OnViolation;
import java.time.Duration;
import java.util.List;

/**
 * How alerts are delivered. Immutable.
 *
 * @param operators destinations of alerts that no predicate asked for: {@code console}, {@code
 *     webhook:URL}
 * @param queueMax alerts that wait for one destination; further ones are dropped
 * @param attemptsMax posts of one payload
 * @param backOff before the second attempt; doubled before each further one
 * @param requestTimeout for one post
 */
public record AlertSettings(
    List<String> operators,
    int queueMax,
    int attemptsMax,
    Duration backOff,
    Duration requestTimeout) {
  public static final AlertSettings DEFAULT =
      new AlertSettings(
          List.of(AlertSettings.CONSOLE), 1_000, 4, Duration.ofMillis(200), Duration.ofSeconds(5));

  static final String CONSOLE = "console";
  static final String WEBHOOK = "webhook:";

  public AlertSettings {
    operators = OnViolation.requireAlerts("the orchestrator", operators);
    if (queueMax < 1 || queueMax > 1_000_000) {
      throw new IllegalArgumentException("queueMax must be in [1, 1000000]: queueMax=" + queueMax);
    }
    if (attemptsMax < 1 || attemptsMax > 10) {
      throw new IllegalArgumentException(
          "attemptsMax must be in [1, 10]: attemptsMax=" + attemptsMax);
    }
    requirePositive("backOff", backOff);
    requirePositive("requestTimeout", requestTimeout);
  }

  public AlertSettings withOperators(List<String> destinations) {
    return new AlertSettings(destinations, queueMax, attemptsMax, backOff, requestTimeout);
  }

  private static void requirePositive(String name, Duration value) {
    if (value.toMillis() < 1 || value.compareTo(Duration.ofMinutes(5)) > 0) {
      throw new IllegalArgumentException(name + " must be in [1 ms, 5 min]: " + name + "=" + value);
    }
  }
}
