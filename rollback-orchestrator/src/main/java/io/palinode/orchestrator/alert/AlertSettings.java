package io.palinode.orchestrator.alert;

import io.palinode.predicate.OnViolation;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How alerts are delivered. Immutable.
 *
 * @param operators destinations of alerts that no predicate asked for: {@code console}, {@code
 *     kafka:TOPIC}, {@code FORMAT:URL}
 * @param webhooks where alerts of predicates may go besides
 * @param queueMax alerts that wait for one destination; further ones are dropped
 * @param posts of one payload
 * @param secret signs the bodies of webhooks; null: they are not signed
 * @param externalUrl the address at which operators reach the console; null: that of the API
 */
public record AlertSettings(
    List<String> operators,
    WebhookRules webhooks,
    int queueMax,
    Posts posts,
    @Nullable String secret,
    @Nullable String externalUrl) {
  /**
   * How often a payload is posted.
   *
   * @param attemptsMax posts of one payload
   * @param backOff before the second attempt; doubled before each further one
   * @param requestTimeout for one post
   */
  public record Posts(int attemptsMax, Duration backOff, Duration requestTimeout) {
    public Posts {
      if (attemptsMax < 1 || attemptsMax > 10) {
        throw new IllegalArgumentException(
            "attemptsMax must be in [1, 10]: attemptsMax=" + attemptsMax);
      }
      requirePositive("backOff", backOff);
      requirePositive("requestTimeout", requestTimeout);
    }
  }

  public static final AlertSettings DEFAULT =
      new AlertSettings(
          List.of(AlertSettings.CONSOLE),
          WebhookRules.PUBLIC,
          1_000,
          new Posts(4, Duration.ofMillis(200), Duration.ofSeconds(5)),
          null,
          null);

  static final String CONSOLE = "console";

  public AlertSettings {
    operators = OnViolation.requireAlerts("the orchestrator", operators);
    if (queueMax < 1 || queueMax > 1_000_000) {
      throw new IllegalArgumentException("queueMax must be in [1, 1000000]: queueMax=" + queueMax);
    }
    externalUrl = externalUrl == null ? null : Links.requireBase(externalUrl);
  }

  public AlertSettings withOperators(List<String> destinations) {
    return new AlertSettings(destinations, webhooks, queueMax, posts, secret, externalUrl);
  }

  public AlertSettings withWebhooks(WebhookRules rules) {
    return new AlertSettings(operators, rules, queueMax, posts, secret, externalUrl);
  }

  public AlertSettings withSecret(@Nullable String newSecret) {
    return new AlertSettings(operators, webhooks, queueMax, posts, newSecret, externalUrl);
  }

  /** Throws {@link IllegalArgumentException} for what is no address of a web server. */
  public AlertSettings withExternalUrl(@Nullable String url) {
    return new AlertSettings(operators, webhooks, queueMax, posts, secret, url);
  }

  /** Throws {@link IllegalArgumentException} for a refused destination. Looks hosts up. */
  public void requireAllowed(OnViolation onViolation) {
    for (String destination : onViolation.alerts()) {
      String refusal = refusal(destination);
      if (refusal != null) {
        throw new IllegalArgumentException(refusal);
      }
    }
  }

  /** The topics of the operators' destinations. */
  public List<String> topics() {
    return operators.stream()
        .filter(operator -> !operator.equals(CONSOLE))
        .map(Destination::of)
        .filter(Destination::isTopic)
        .map(Destination::address)
        .toList();
  }

  /** Why alerts may not go there; null: they may. Operators' own destinations are allowed. */
  @Nullable String refusal(String destination) {
    if (destination.equals(CONSOLE) || operators.contains(destination)) {
      return null;
    }
    Destination other = Destination.of(destination);
    return other.isTopic()
        ? "alerts may go to the topics of --alert only: start each orchestrator with --alert "
            + destination
        : webhooks.refusal(other.url());
  }

  private static void requirePositive(String name, Duration value) {
    if (value.toMillis() < 1 || value.compareTo(Duration.ofMinutes(5)) > 0) {
      throw new IllegalArgumentException(name + " must be in [1 ms, 5 min]: " + name + "=" + value);
    }
  }
}
