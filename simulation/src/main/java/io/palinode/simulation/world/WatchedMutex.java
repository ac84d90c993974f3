package io.palinode.simulation.world;

import io.palinode.detector.terms.ActivePredicate;
import io.palinode.predicate.Predicate;
import io.palinode.predicate.form.Predicates;
import io.palinode.voldemort.client.session.SessionReads.Stale;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;

/**
 * What a cluster watches for: two clients are in the critical section of the edge between them.
 * Immutable.
 *
 * @param joins whether the replicas of one version are one interval
 */
public record WatchedMutex(
    boolean joins, String target, Wish wish, Form form, ActivePredicate predicate) {
  public static final String NAME = "mutex";

  /** How the keys begin that all clients write. */
  public static final String SHARED = "shared";

  public static final int SHARED_KEYS = 3;

  /** The value of a flag whose client is in the section. */
  public static final String IN = "1";

  private static final Set<Form> CANNOT_JOIN =
      Set.of(Form.LASTING, Form.LASTING_SUM, Form.WITHIN, Form.STALE_READ, Form.NON_MONOTONIC_READ);

  static final List<WatchedMutex> ALL =
      List.of(
          of(false, "before-violation", Wish.NOTHING),
          of(false, "before-first-witness", Wish.NOTHING),
          of(true, "before-violation", Wish.NOTHING),
          of(true, "before-first-witness", Wish.NOTHING));

  /** The flag of a client, in the section that it shares with another one. */
  public static String flag(int one, int other, int whose) {
    return "cs_" + Math.min(one, other) + "_" + Math.max(one, other) + "_" + whose;
  }

  static boolean isFlag(String key) {
    return key.startsWith("cs_");
  }

  /** All flags of so many clients. */
  private static List<String> flags(int clients) {
    List<String> flags = new ArrayList<>();
    for (int one = 0; one < clients; one++) {
      for (int other = one + 1; other < clients; other++) {
        flags.add(flag(one, other, one));
        flags.add(flag(one, other, other));
      }
    }
    return flags;
  }

  /** The keys that the predicate names, with so many clients. */
  List<String> keys(int clients) {
    return isOfOperations()
        ? IntStream.range(0, SHARED_KEYS).mapToObj(i -> SHARED + i).toList()
        : flags(clients);
  }

  public boolean isOfLostUpdates() {
    return form == Form.LOST_UPDATE;
  }

  /** Whether clients look for reads of old versions. */
  public boolean isOfStaleReads() {
    return form == Form.STALE_READ || form == Form.NON_MONOTONIC_READ;
  }

  /** Whether a read makes a term true. */
  public boolean isMadeTrueBy(Stale read) {
    return form == Form.STALE_READ || (form == Form.NON_MONOTONIC_READ && read.isAgain());
  }

  /** Whether a term is true of a shared key because of how that was written or read. */
  public boolean isOfOperations() {
    return isOfLostUpdates() || isOfStaleReads();
  }

  /** Of which instance a key is a variable. */
  public static String instance(String flag) {
    if (flag.startsWith(SHARED)) {
      return NAME + "|k=" + flag.substring(SHARED.length());
    }
    String[] parts = flag.split("_", -1);
    return NAME + "|a=" + parts[1] + ",b=" + parts[2];
  }

  public static int term(String flag) {
    if (flag.startsWith(SHARED)) {
      return 0;
    }
    String[] parts = flag.split("_", -1);
    return parts[3].equals(parts[1]) ? 0 : 1;
  }

  WatchedMutex wishing(Wish other) {
    return of(joins, target, other, form);
  }

  /** The same in another form. */
  WatchedMutex in(Form other) {
    return of(joins && !CANNOT_JOIN.contains(other), target, wish, other);
  }

  /** The value of a flag whose client is not in the section. */
  public String out() {
    return form == Form.SUM || form == Form.TOTAL || form == Form.LASTING_SUM ? "out" : "0";
  }

  /** For how long both flags must be up; 0: for a moment. */
  public long heldForMicros() {
    return form == Form.LASTING || form == Form.LASTING_SUM ? Form.HELD_FOR_MILLIS * 1_000 : 0;
  }

  /** The same with another target. */
  public WatchedMutex goingTo(boolean beforeFirstWitness) {
    return of(joins, beforeFirstWitness ? "before-first-witness" : "before-violation", wish, form);
  }

  /** The same, whose rollbacks undo only what came of the witnesses. */
  WatchedMutex affectingOnlySome() {
    Predicate all = predicate.predicate();
    Predicate some = all.withOnViolation(all.onViolation().affectingOnlySome());
    return new WatchedMutex(
        joins, target, wish, form, new ActivePredicate(NAME, predicate.version(), some));
  }

  private static WatchedMutex of(boolean joins, String target, Wish wish) {
    return of(joins, target, wish, Form.ALL_OF);
  }

  private static WatchedMutex of(boolean joins, String wanted, Wish wish, Form form) {
    // A rollback to before the violation would keep its trigger.
    String target = form == Form.WITHIN ? "before-first-witness" : wanted;
    String yaml =
        """
        apiVersion: palinode.io/v1
        kind: Predicate
        metadata: {name: mutex}
        spec:
          forEach: {%s}
          replicas: %s
          violation:
            - %s
          onViolation:
            rollback: {to: %s}
            %s
        """
            .formatted(form.forEach, joins ? "first" : "any", form.clause, target, wish.yaml);
    return new WatchedMutex(
        joins, target, wish, form, new ActivePredicate(NAME, 1, Predicates.parse(yaml, NAME)));
  }

  @Override
  public String toString() {
    return "replicas="
        + (joins ? "first" : "any")
        + " to="
        + target
        + " wish="
        + wish
        + (form == Form.ALL_OF ? "" : " form=" + form);
  }
}
