package io.palinode.predicate;

import io.palinode.hvc.Grade;
import io.palinode.predicate.template.Template;
import io.palinode.predicate.text.Word;
import java.net.URI;
import java.net.URISyntaxException;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a violation causes.
 *
 * @param rollbackTo null: no rollback
 * @param rollbackOn the least grade that rolls back
 * @param alertOn the least grade that alerts
 * @param alerts where to: {@code console}, {@code kafka:TOPIC}, {@code FORMAT:URL}
 * @param rollbacks how they run; the default if there is none
 */
public record OnViolation(
    @Nullable RollbackTarget rollbackTo,
    Grade rollbackOn,
    Grade alertOn,
    List<String> alerts,
    RollbackRules rollbacks) {

  public static final int ALERTS_MAX = 8;
  public static final int ALERT_LENGTH_MAX = 1_024;

  /** The forms of an alert's body that a destination may name. */
  public static final List<String> ALERT_FORMATS =
      List.of("webhook", "alertmanager", "slack", "cloudevents");

  /** Before the name of a topic of Kafka, in a destination. */
  public static final String ALERT_TOPIC = "kafka:";

  /** Names of topics, as Kafka accepts them. */
  public static final String TOPIC = "[A-Za-z0-9._-]{1,249}";

  /** No rollback; every violation that is at least possible is shown on the console. */
  public static final OnViolation DEFAULT =
      new OnViolation(
          null, Grade.POSSIBLE, Grade.POSSIBLE, List.of("console"), RollbackRules.DEFAULT);

  public OnViolation {
    alerts = requireAlerts("a predicate", alerts);
    if (rollbackTo == null) {
      rollbacks.requireDefault();
    }
  }

  /** Those of {@link WhenFrequent}. */
  List<Template> guards() {
    return rollbacks.whenFrequent == null ? List.of() : rollbacks.whenFrequent.guards();
  }

  /**
   * Returns a copy of {@code alerts}. Throws {@link IllegalArgumentException} if one is invalid or
   * named twice, or if there are more than {@link #ALERTS_MAX}; {@code owner} is whose they are.
   */
  public static List<String> requireAlerts(String owner, List<String> alerts) {
    if (alerts.size() > ALERTS_MAX) {
      throw new IllegalArgumentException(
          owner + " must have at most " + ALERTS_MAX + " alerts: alerts=" + alerts.size());
    }
    alerts.forEach(OnViolation::requireAlert);
    if (new HashSet<>(alerts).size() < alerts.size()) {
      throw new IllegalArgumentException("an alert must not be named twice: alerts=" + alerts);
    }
    return List.copyOf(alerts);
  }

  /** Throws {@link IllegalArgumentException}, or returns {@code alert}. */
  public static String requireAlert(String alert) {
    if (alert.length() > ALERT_LENGTH_MAX) {
      throw new IllegalArgumentException(
          "an alert must have at most "
              + ALERT_LENGTH_MAX
              + " characters: characters="
              + alert.length());
    }
    if (alert.startsWith(ALERT_TOPIC)) {
      return requireTopic(alert);
    }
    int colon = alert.indexOf(':');
    boolean isPosted =
        colon > 0
            && ALERT_FORMATS.contains(alert.substring(0, colon))
            && isHttp(alert.substring(colon + 1));
    if (!alert.equals("console") && !isPosted) {
      throw new IllegalArgumentException(
          "an alert must be console, kafka:TOPIC or FORMAT:URL with an http or https URL, where FORMAT is %s: '%s'"
              .formatted(String.join(", ", ALERT_FORMATS), alert));
    }
    return alert;
  }

  private static String requireTopic(String alert) {
    String topic = alert.substring(ALERT_TOPIC.length());
    if (!topic.matches(TOPIC) || topic.equals(".") || topic.equals("..")) {
      throw new IllegalArgumentException(
          "the topic of an alert must be 1 to 249 of [A-Za-z0-9._-], and not '.' or '..': '%s'"
              .formatted(alert));
    }
    return alert;
  }

  private static boolean isHttp(String url) {
    try {
      URI uri = new URI(url);
      return uri.getHost() != null
          && ("http".equals(uri.getScheme()) || "https".equals(uri.getScheme()));
    } catch (URISyntaxException notAnUrl) {
      return false;
    }
  }

  /** The same, with rollbacks that undo only what came of the witnesses. */
  public OnViolation affectingOnlySome() {
    RollbackRules some =
        new RollbackRules(
            rollbacks.whenFrequent,
            rollbacks.onUnreachable,
            rollbacks.budget,
            rollbacks.approval,
            RollbackScope.AFFECTED);
    return new OnViolation(rollbackTo, rollbackOn, alertOn, alerts, some);
  }

  /**
   * How rollbacks run.
   *
   * @param whenFrequent null: never
   * @param onUnreachable what comes of a rollback whose target some node cannot restore
   * @param budget null: without limit
   * @param approval whether a rollback waits for an operator
   * @param scope what a rollback undoes
   */
  public record RollbackRules(
      @Nullable WhenFrequent whenFrequent,
      OnUnreachable onUnreachable,
      @Nullable Budget budget,
      Approval approval,
      RollbackScope scope) {
    /** They halt if out of reach, open by themselves, without limit, and undo all. */
    public static final RollbackRules DEFAULT = of(null);

    /** The default, except for what frequent rollbacks cause. */
    public static RollbackRules of(@Nullable WhenFrequent whenFrequent) {
      return new RollbackRules(
          whenFrequent, OnUnreachable.HALT, null, Approval.AUTOMATIC, RollbackScope.ALL);
    }

    private void requireDefault() {
      if (whenFrequent != null) {
        throw new IllegalArgumentException(
            "whenFrequent counts rollbacks, so there must be a rollback: whenFrequent="
                + whenFrequent);
      }
      if (onUnreachable != OnUnreachable.HALT) {
        throw new IllegalArgumentException(
            "onUnreachable is about rollbacks, so there must be a rollback: onUnreachable="
                + Word.of(onUnreachable));
      }
      if (budget != null) {
        throw new IllegalArgumentException(
            "a budget counts rollbacks, so there must be a rollback: budget=" + budget);
      }
      if (scope != RollbackScope.ALL) {
        throw new IllegalArgumentException(
            "scope is of rollbacks, so there must be a rollback: scope=" + Word.of(scope));
      }
      if (approval == Approval.REQUIRED) {
        throw new IllegalArgumentException(
            "approval is of rollbacks, so there must be a rollback: approval=required");
      }
    }
  }

  /** What a rollback undoes. */
  public enum RollbackScope {
    /** All that was written after its target. */
    ALL,
    /** What depends on the witnesses' writes, if that is known; else all. */
    AFFECTED
  }

  /** Where a rollback goes to. */
  public enum RollbackTarget {
    /** Right before the first moment at which all witnesses held. */
    BEFORE_VIOLATION,
    /** Right before the first witness began; that can be far back. */
    BEFORE_FIRST_WITNESS
  }

  /** What comes of a rollback whose target some node cannot restore. */
  public enum OnUnreachable {
    /** Nodes stay paused until an operator says how to go on. */
    HALT,
    /** The store goes back to the newest snapshot before it, be that before the safe point. */
    NEAREST_SNAPSHOT,
    /** The store stays as it is, and clients are notified to restart their work. */
    RESTART
  }

  /** What opens a rollback. */
  public enum Approval {
    /** The violation. */
    AUTOMATIC,
    /** An operator, when asked; until then clients go on. */
    REQUIRED
  }

  /**
   * The greatest number of automatic rollbacks in a period. Beyond it, violations are reported and
   * stand.
   *
   * @param atMost at least 1
   * @param per whole milliseconds, from 1 ms to 24 h
   */
  public record Budget(int atMost, Duration per) {
    /** Of so many past rollbacks an orchestrator knows. */
    public static final int AT_MOST_MAX = 1_000;

    public Budget {
      if (atMost < 1 || atMost > AT_MOST_MAX) {
        throw new IllegalArgumentException(
            "atMost must be in [1, " + AT_MOST_MAX + "]: atMost=" + atMost);
      }
      WhenFrequent.requirePer(per);
    }
  }

  /**
   * More than {@code over} rollbacks in {@code per} that touch the same keys: clients use these
   * keys sequentially (R + W > N) until {@code per} has passed without such a rollback, or longer
   * when that has not helped before.
   *
   * @param over at least 1
   * @param per whole milliseconds, from 1 ms to 24 h
   * @param guards further keys of an instance to be used so: what a program reads before it writes
   *     the variables, such as the cells of a lock
   */
  public record WhenFrequent(int over, Duration per, List<Template> guards) {
    public static final Duration PER_MAX = Duration.ofHours(24);
    public static final int GUARDS_MAX = 16;

    /** Without guards. */
    public WhenFrequent(int over, Duration per) {
      this(over, per, List.of());
    }

    public WhenFrequent {
      guards = List.copyOf(guards);
      if (guards.size() > GUARDS_MAX) {
        throw new IllegalArgumentException(
            "whenFrequent must have at most " + GUARDS_MAX + " guards: guards=" + guards.size());
      }
      if (over < 1) {
        throw new IllegalArgumentException("over must be at least 1: over=" + over);
      }
      requirePer(per);
    }

    private static void requirePer(Duration per) {
      if (per.compareTo(Duration.ofMillis(1)) < 0 || per.compareTo(PER_MAX) > 0) {
        throw new IllegalArgumentException("per must be in [1ms, 24h]: per=" + per);
      }
      if (!per.equals(Duration.ofMillis(per.toMillis()))) {
        throw new IllegalArgumentException("per must be whole milliseconds: per=" + per);
      }
    }
  }
}
