package io.palinode.orchestrator.kafka;

import io.palinode.orchestrator.alert.AlertSettings;
import io.palinode.orchestrator.health.NodeReports;
import io.palinode.orchestrator.health.NodeStatus;
import io.palinode.orchestrator.health.UnjudgedOperations;
import io.palinode.orchestrator.kafka.PredicateAppends.Append;
import io.palinode.orchestrator.policy.AbsentStores;
import io.palinode.orchestrator.policy.AppliedPredicate;
import io.palinode.orchestrator.policy.Policy;
import io.palinode.orchestrator.policy.PredicateNeeds;
import io.palinode.orchestrator.policy.PredicateTexts;
import io.palinode.orchestrator.rest.UnavailableException;
import io.palinode.orchestrator.rest.predicate.PredicateCheck;
import io.palinode.predicate.Clause;
import io.palinode.predicate.Predicate;
import io.palinode.predicate.PredicateLimits;
import io.palinode.predicate.form.Predicates;
import io.palinode.predicate.text.PredicateException;
import io.palinode.wire.v1.PredicateRecord;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.apache.kafka.clients.producer.Producer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The predicates of the predicates log. Thread-safe. A change is appended and counts once it is
 * read back.
 */
final class PredicateRegistry {
  private static final Logger log = LoggerFactory.getLogger(PredicateRegistry.class);
  private static final Duration TURN_MAX = Duration.ofSeconds(5);

  /** Kafka's default limit of a record, less room for its envelope. */
  static final int RECORD_BYTES_MAX = (1 << 20) - 1_024;

  private final Object lock = new Object();
  private final ReentrantLock writing = new ReentrantLock();
  private final Map<String, Known> known = new TreeMap<>();

  private final PredicateAppends appends;
  private final PredicateTexts texts;
  private final LongSupplier wallMicros;
  private final PredicateLimits limits;
  private final AlertSettings alerts;
  private volatile Supplier<String> watchedOnly = () -> "";
  private volatile Supplier<Map<String, String>> notRestored = Map::of;
  private volatile Supplier<List<NodeStatus>> nodes = List::of;

  /** Not to be asked under the lock, which the reports take under their own. */
  private volatile Supplier<Set<String>> stores = Set::of;

  /**
   * @param texts learns every version that is read
   * @param limits of applied predicates
   * @param alerts where their alerts may go
   */
  PredicateRegistry(
      Producer<byte[], byte[]> producer,
      String topic,
      PredicateTexts texts,
      PredicateLimits limits,
      AlertSettings alerts,
      LongSupplier wallMicros) {
    this.alerts = alerts;
    this.wallMicros = wallMicros;
    this.limits = limits;
    this.appends = new PredicateAppends(producer, topic);
    this.texts = texts;
  }

  /**
   * Refuses predicates that ask for a rollback from now on. Those in force stay.
   *
   * @param why the reason to refuse all of them; empty: there is none
   * @param keys the reasons to refuse those that name a key, by how the key begins
   */
  PredicateRegistry refusingRollbacks(Supplier<String> why, Supplier<Map<String, String>> keys) {
    watchedOnly = why;
    notRestored = keys;
    return this;
  }

  /** The same. The reports know which predicates ask for rollbacks, and name the nodes' stores. */
  PredicateRegistry refusingRollbacks(Supplier<String> why, NodeReports reports) {
    reports.follow(this::rollingBack);
    stores = reports::stores;
    return refusingRollbacks(why, reports::notRestored);
  }

  /** How the keys of the predicates in force that ask for rollbacks begin, by name. */
  private Map<String, List<String>> rollingBack() {
    Map<String, List<String>> keys = new TreeMap<>();
    synchronized (lock) {
      known.forEach(
          (name, k) -> {
            if (!k.deleted() && k.policy().rollsBack()) {
              keys.put(name, k.needs().prefixes());
            }
          });
    }
    return keys;
  }

  /**
   * Refuses predicates about the operations of clients from now on, if one of these nodes does not
   * judge them. Those in force stay.
   */
  PredicateRegistry judgedBy(Supplier<List<NodeStatus>> joined) {
    nodes = joined;
    return this;
  }

  private record Known(
      long version, boolean deleted, String yaml, Policy policy, PredicateNeeds needs) {
    static Known of(PredicateRecord record, Policy policy, PredicateNeeds needs) {
      return new Known(record.getVersion(), record.getDeleted(), record.getYaml(), policy, needs);
    }

    AppliedPredicate applied(String name, Set<String> present) {
      return new AppliedPredicate(name, version, yaml, AbsentStores.of(needs.stores(), present));
    }

    boolean isOf(PredicateRecord record) {
      return version == record.getVersion()
          && deleted == record.getDeleted()
          && yaml.equals(record.getYaml());
    }
  }

  /** A checked change; null append: already in force. */
  private record Checked(AppliedPredicate applied, @Nullable Append append) {
    boolean isInForce() {
      return append == null || append.failure() == null;
    }

    boolean isUnknown() {
      return append != null && append.isUnknown();
    }
  }

  /** Reads a record of the log; returns its policy, or null for an old version. */
  @Nullable Policy read(PredicateRecord record) {
    // Parsing a large predicate takes seconds, so one applied here is reused.
    Append mine = appends.of(record);
    Known now = mine == null ? parsed(record) : Known.of(record, mine.policy(), mine.needs());
    texts.learn(record.getName(), record.getVersion(), record.getYaml());
    boolean isNew = add(record.getName(), now);
    appends.read(record, isNew || isKnown(record));
    if (!isNew) {
      return null;
    }
    log.info(
        "predicate={} version={} deleted={}",
        record.getName(),
        record.getVersion(),
        record.getDeleted());
    return now.policy();
  }

  private boolean add(String name, Known now) {
    synchronized (lock) {
      Known before = known.get(name);
      if (before != null && before.version() >= now.version()) {
        return false;
      }
      known.put(name, now);
      return true;
    }
  }

  private boolean isKnown(PredicateRecord record) {
    Known k = knownOf(record.getName());
    return k != null && k.isOf(record);
  }

  /** The policies of all predicates, with deleted ones. */
  Map<String, Policy> policies() {
    synchronized (lock) {
      Map<String, Policy> policies = new HashMap<>();
      known.forEach((name, k) -> policies.put(name, k.policy()));
      return policies;
    }
  }

  /** The predicates in force; the key is the name. */
  List<AppliedPredicate> all() {
    Set<String> present = stores.get();
    synchronized (lock) {
      List<AppliedPredicate> all = new ArrayList<>();
      known.forEach(
          (name, k) -> {
            if (!k.deleted()) {
              all.add(k.applied(name, present));
            }
          });
      return all;
    }
  }

  @Nullable AppliedPredicate get(String name) {
    Known k = knownOf(name);
    return k == null || k.deleted() ? null : k.applied(name, stores.get());
  }

  /**
   * See {@link io.palinode.orchestrator.rest.Backend#apply}. Predicates in force stay. What exceeds
   * a limit is refused with the predicate's name: a place in the document helps no sender that
   * joined it from parts.
   */
  List<AppliedPredicate> apply(String document, String source) {
    return write(withinLimits(document, source), () -> {});
  }

  /** See {@link io.palinode.orchestrator.rest.Backend#check}. */
  PredicateCheck check(String document, String source) {
    List<Predicate> predicates = withinLimits(document, source);
    requireAccepted(predicates);
    predicates.forEach(this::checked);
    return PredicateCheck.of(document, source, predicates, this::get, stores.get());
  }

  private List<Predicate> withinLimits(String document, String source) {
    List<Predicate> predicates = Predicates.parseAll(document, source, PredicateLimits.CEILING);
    predicates.forEach(this::requireWithinLimits);
    return predicates;
  }

  private void requireAccepted(List<Predicate> predicates) {
    predicates.forEach(this::requireAllowedAlerts);
    predicates.forEach(this::requireRestorable);
    predicates.forEach(this::requireJudged);
  }

  private void requireWithinLimits(Predicate predicate) {
    String where = "predicate '" + predicate.name() + "'";
    try {
      limits.require(predicate);
      int clause = 0;
      for (Clause one : predicate.violation()) {
        where = "predicate '%s' clause %d".formatted(predicate.name(), ++clause);
        limits.require(one);
      }
    } catch (IllegalArgumentException refused) {
      throw new PredicateException(where + ": " + refused.getMessage(), refused);
    }
  }

  private void requireAllowedAlerts(Predicate predicate) {
    try {
      alerts.requireAllowed(predicate.onViolation());
    } catch (IllegalArgumentException refused) {
      throw new PredicateException(
          "predicate '%s': %s".formatted(predicate.name(), refused.getMessage()), refused);
    }
  }

  private void requireRestorable(Predicate predicate) {
    if (predicate.onViolation().rollbackTo() == null) {
      return;
    }
    String why = watchedOnly.get();
    if (why.isEmpty()) {
      why = notRestored(predicate);
    }
    if (!why.isEmpty()) {
      throw new PredicateException(
          "predicate '%s': rollback must be none: %s".formatted(predicate.name(), why));
    }
  }

  private void requireJudged(Predicate predicate) {
    String word = PredicateNeeds.of(predicate).operation();
    if (word.isEmpty()) {
      return;
    }
    for (NodeStatus node : nodes.get()) {
      if (!node.operationsNotJudged().isEmpty()) {
        throw new PredicateException(
            "predicate '%s': %s would find nothing, because %s,"
                    .formatted(predicate.name(), word, node.operationsNotJudged())
                + " which does not judge the operations of clients");
      }
    }
  }

  /** Of the predicates in force, at nodes that joined since, or that were not known. */
  List<UnjudgedOperations> unjudged() {
    List<UnjudgedOperations> unjudged = new ArrayList<>();
    List<NodeStatus> joined = nodes.get();
    synchronized (lock) {
      known.forEach(
          (name, k) ->
              joined.stream()
                  .filter(
                      node ->
                          !k.needs().operation().isEmpty() && !node.operationsNotJudged().isEmpty())
                  .map(
                      node ->
                          new UnjudgedOperations(
                              name, k.needs().operation(), node.node(), node.operationsNotJudged()))
                  .forEach(unjudged::add));
    }
    return unjudged;
  }

  private String notRestored(Predicate predicate) {
    List<String> names = PredicateNeeds.of(predicate).prefixes();
    return notRestored.get().entrySet().stream()
        .filter(keys -> names.stream().anyMatch(name -> name.startsWith(keys.getKey())))
        .map(Map.Entry::getValue)
        .findFirst()
        .orElse("");
  }

  /** See {@link io.palinode.orchestrator.rest.Backend#applyOne}. */
  AppliedPredicate applyOne(
      String document, String name, Consumer<@Nullable AppliedPredicate> check) {
    Predicate predicate = Predicates.parse(document, name, limits);
    if (!predicate.name().equals(name)) {
      throw new PredicateException(
          "the document must hold the predicate of the path '%s': '%s'"
              .formatted(name, predicate.name()));
    }
    return write(List.of(predicate), () -> check.accept(get(name))).get(0);
  }

  /** Checks all predicates before the first is written, after {@code check}. */
  private List<AppliedPredicate> write(List<Predicate> predicates, Runnable check) {
    requireAccepted(predicates);
    lockForWriting();
    try {
      check.run();
      List<Checked> all = predicates.stream().map(this::checked).toList();
      appends.append(all.stream().flatMap(one -> Stream.ofNullable(one.append())).toList());
      requireInForce(all);
      return all.stream().map(Checked::applied).toList();
    } finally {
      writing.unlock();
    }
  }

  /** Throws the first failure; of several predicates, with the outcome of each. */
  private static void requireInForce(List<Checked> all) {
    RuntimeException first =
        all.stream()
            .flatMap(one -> Stream.ofNullable(one.append()))
            .flatMap(append -> Stream.ofNullable(append.failure()))
            .findFirst()
            .orElse(null);
    if (first == null) {
      return;
    }
    if (all.size() == 1) {
      throw first;
    }
    String message =
        first.getMessage()
            + names("; applied: ", all, Checked::isInForce)
            + names("; not applied: ", all, one -> !one.isInForce() && !one.isUnknown())
            + names("; not known: ", all, Checked::isUnknown);
    boolean mayHaveChanged =
        all.stream().anyMatch(one -> one.append() != null && (one.isInForce() || one.isUnknown()));
    throw first instanceof PredicateException && !mayHaveChanged
        ? new PredicateException(message, first)
        : new UnavailableException(message, first);
  }

  private static String names(
      String title, List<Checked> all, java.util.function.Predicate<Checked> which) {
    List<String> names =
        all.stream().filter(which).map(one -> "'" + one.applied().name() + "'").toList();
    return names.isEmpty() ? "" : title + String.join(", ", names);
  }

  /** Applies one predicate at a time: the next version follows from the last one read back. */
  private void lockForWriting() {
    try {
      if (!writing.tryLock(TURN_MAX.toMillis(), TimeUnit.MILLISECONDS)) {
        throw new UnavailableException(
            "another predicate is being written, and Kafka has not acknowledged it: nothing has"
                + " changed; apply it again");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new UnavailableException("interrupted before anything was written", e);
    }
  }

  /** See {@link io.palinode.orchestrator.rest.Backend#delete}. */
  boolean delete(String name, Consumer<@Nullable AppliedPredicate> check) {
    lockForWriting();
    try {
      Known k = knownOf(name);
      if (k == null || k.deleted()) {
        return false;
      }
      check.accept(get(name));
      long version = k.version() + 1;
      PredicateRecord record =
          PredicateRecord.newBuilder().setName(name).setVersion(version).setDeleted(true).build();
      Append append = new Append(record, Policy.deleted(name, version), PredicateNeeds.NONE);
      appends.append(List.of(append));
      if (append.failure() != null) {
        throw append.failure();
      }
      return true;
    } finally {
      writing.unlock();
    }
  }

  private Checked checked(Predicate predicate) {
    String name = predicate.name();
    String yaml = Predicates.toYaml(predicate);
    Known k = knownOf(name);
    if (k != null && !k.deleted() && k.yaml().equals(yaml)) {
      return new Checked(k.applied(name, stores.get()), null);
    }
    long version = k == null ? 1 : k.version() + 1;
    Policy policy = Policy.of(predicate, version);
    PredicateRecord record =
        PredicateRecord.newBuilder()
            .setName(name)
            .setVersion(version)
            .setYaml(yaml)
            .setAppliedAtMicros(wallMicros.getAsLong())
            .setRollbackSinceVersion(policy.rollsBackSince(k == null ? null : k.policy()))
            .build();
    requireFits(record);
    Policy asRead =
        policy
            .appliedAt(record.getAppliedAtMicros())
            .rollingBackSince(record.getRollbackSinceVersion());
    PredicateNeeds needs = PredicateNeeds.of(predicate);
    return new Checked(
        new AppliedPredicate(name, version, yaml, AbsentStores.of(needs.stores(), stores.get())),
        new Append(record, asRead, needs));
  }

  private static void requireFits(PredicateRecord record) {
    int bytes = record.getSerializedSize();
    if (bytes > RECORD_BYTES_MAX) {
      throw new PredicateException(
          "a predicate must take at most %d bytes in its full form, which is one record in Kafka: %s takes %d; split it into several predicates"
              .formatted(RECORD_BYTES_MAX, record.getName(), bytes));
    }
  }

  private @Nullable Known knownOf(String name) {
    synchronized (lock) {
      return known.get(name);
    }
  }

  /** A predicate that cannot be read here is not watched by any part, so it has no effect. */
  private static Known parsed(PredicateRecord record) {
    Policy deleted = Policy.deleted(record.getName(), record.getVersion());
    if (record.getDeleted()) {
      return Known.of(record, deleted, PredicateNeeds.NONE);
    }
    try {
      Predicate predicate =
          Predicates.parse(
              record.getYaml(),
              record.getName() + " version " + record.getVersion(),
              PredicateLimits.CEILING);
      Policy policy =
          Policy.of(predicate, record.getVersion())
              .appliedAt(record.getAppliedAtMicros())
              .rollingBackSince(record.getRollbackSinceVersion());
      return Known.of(record, policy, PredicateNeeds.of(predicate));
    } catch (PredicateException e) {
      log.error(
          "predicate={} version={} unreadable: {}",
          record.getName(),
          record.getVersion(),
          e.getMessage());
      return Known.of(record, deleted, PredicateNeeds.NONE);
    }
  }
}
