package io.palinode.detection.stream;

import io.palinode.detection.Candidate;
import io.palinode.detection.CandidateId;
import io.palinode.detection.DetectionLimits;
import io.palinode.detection.DetectionSpec;
import io.palinode.detection.Ended;
import io.palinode.detection.FirstReplica;
import io.palinode.detection.Overflows;
import io.palinode.detection.Witness;
import io.palinode.detection.search.Budget;
import io.palinode.detection.search.Changes;
import io.palinode.detection.search.CliqueSearch;
import io.palinode.detection.search.Finding;
import io.palinode.detection.search.IntervalQueue;
import io.palinode.detection.search.Knowledge;
import io.palinode.detection.search.Retained;
import io.palinode.detection.search.WatchedClause;
import io.palinode.hvc.Grade;
import io.palinode.hvc.Hvc;
import io.palinode.predicate.ClauseShape;
import io.palinode.predicate.ReplicaRule;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Detection for one predicate instance while its events arrive. Events of one node arrive in its
 * order, events of different nodes in any order. Deterministic; no I/O, no clock. Not thread-safe.
 *
 * <p>The own HLC of an opening is its start's, of a closing its end's. Each method returns the
 * witnesses that became certain and were not reported before. No report is withdrawn or repeated.
 *
 * <ul>
 *   <li><b>Sound</b>: the candidates of a witness are pairwise concurrent, whatever ends arrive
 *       later. A pair with an open interval is pending until the open interval cannot end before
 *       the other's start ({@link Knowledge}).
 *   <li><b>Covering</b>: for each interval and grade, if the interval is in a witness of at least
 *       the grade, a report of at least the grade names it. This report has the least {@link
 *       Witness#violate} of all these witnesses ({@link WatchedClause}). The grade of a report is
 *       the last one returned, first or as {@link #raised}. After progress W this holds for
 *       witnesses that begin at or before W; for {@link Grade#DEFINITE}, once an event shows that
 *       the starts happened before the ends.
 *   <li><b>Bounded</b>: a closed interval is dropped if no later interval can join it and no
 *       pending decision involves it. With ε = ∞, only intervals that the HVC of every node
 *       includes are dropped. Above {@link DetectionLimits#intervalsMax} the oldest interval is
 *       dropped unjudged. Above {@link DetectionLimits#reportsMax} the oldest report keeps its
 *       grade, and may be found again. {@link #overflowed} counts both.
 * </ul>
 *
 * <p>Cost: an event bisects the ordered queues of the nodes that hold intervals. An opening also
 * visits the intervals that await its node ({@link Awaiting}); with {@code replicas: first}, all
 * retained intervals. Each interval that became certain causes one {@link CliqueSearch}, which is
 * O(nodes · log retained) with two terms and no violation. A violation causes a search for each
 * grade and each interval that a report can still improve.
 *
 * <p>A node that restarts opens its intervals again. With {@code replicas: any}, an open interval
 * of its earlier incarnation ends right before its first event in the new one; with {@code first},
 * the version's interval continues. Later events of an earlier incarnation are ignored.
 */
public final class InstanceDetector implements Detector {
  private final DetectionSpec spec;
  private final DetectionLimits limits;
  private final boolean joined;
  private final Knowledge knowledge;
  private final Incarnations incarnations;
  private final List<WatchedClause> clauses = new ArrayList<>(1);
  // By clause. Kept between events, which all use them.
  private final List<Awaiting> awaiting = new ArrayList<>(1);
  private final List<Pending> pending = new ArrayList<>(1);
  private final FirstReplica replicas;
  private final Reports reports;
  // The changes of the current call; empty between calls.
  private final Changes changes = new Changes();
  private long lost;

  private InstanceDetector(DetectionSpec spec, DetectionLimits limits, FirstReplica replicas) {
    this.spec = spec;
    this.limits = limits;
    this.replicas = replicas;
    this.joined = spec.replicas() == ReplicaRule.FIRST;
    this.knowledge = new Knowledge(spec.nodes(), spec.causality(), joined, spec.lasts());
    this.reports = new Reports(knowledge, limits.reportsMax());
    this.incarnations = new Incarnations(spec.nodes());
    for (ClauseShape shape : spec.clauses()) {
      WatchedClause clause =
          new WatchedClause(
              clauses.size(), shape, spec.nodes(), knowledge, new Budget(limits.searchStepsMax()));
      clauses.add(clause);
      Awaiting awaited = new Awaiting(clause, knowledge, joined, spec.nodes());
      awaiting.add(awaited);
      pending.add(new Pending(clause, awaited, knowledge, joined, spec.nodes()));
    }
  }

  public static InstanceDetector create(DetectionSpec spec) {
    return create(spec, DetectionLimits.DEFAULT);
  }

  public static InstanceDetector create(DetectionSpec spec, DetectionLimits limits) {
    return new InstanceDetector(spec, limits, new FirstReplica());
  }

  /**
   * The detector of {@link #toBytes}. Throws {@link IllegalArgumentException} for bytes of another
   * version, and for bytes that do not fit {@code spec}.
   */
  public static InstanceDetector restore(DetectionSpec spec, byte[] bytes) {
    return restore(spec, DetectionLimits.DEFAULT, bytes);
  }

  public static InstanceDetector restore(DetectionSpec spec, DetectionLimits limits, byte[] bytes) {
    DetectorState state = DetectorCodec.decode(spec, bytes);
    InstanceDetector detector = new InstanceDetector(spec, limits, state.replicas());
    detector.take(state);
    return detector;
  }

  private void take(DetectorState state) {
    for (int node = 0; node < spec.nodes(); node++) {
      DetectorState.LatestOfNode latest = state.nodes().get(node);
      incarnations.restore(node, latest.incarnation());
      if (latest.clock() != null) {
        knowledge.observed(latest.clock());
      }
    }
    knowledge.advance(state.progress());
    lost = state.overflowed();
    state.retained().forEach(this::add);
    reports.restore(state.rising(), state.holding());
  }

  /**
   * A term turned true. Throws {@link IllegalArgumentException}, and changes nothing, for a
   * candidate that is closed, or not of this predicate and cluster.
   */
  @Override
  public List<Witness> opened(Candidate candidate) {
    reports.begin();
    spec.require(candidate);
    if (!candidate.interval().isOpen()) {
      throw new IllegalArgumentException("an interval opens without an end: " + candidate);
    }
    if (incarnations.isStale(candidate.id())) {
      return judge();
    }
    observe(candidate.id(), candidate.interval().start());
    Candidate start = start(candidate);
    if (start != null) {
      changes.add(retain(start), Grade.UNCERTAIN);
    }
    return judge();
  }

  /**
   * An interval ended. {@code endedBy} names the superseding version (empty: unknown or a delete),
   * {@code origin} its first node; the candidate names the interval and the version that opened it.
   * If the opening never arrived, the end opens the interval too. Throws as {@link #opened}.
   *
   * <p>Neither {@code endedBy} nor {@code origin} is needed: of all nodes' ends of a version, the
   * one with the least own HLC counts.
   */
  @Override
  public List<Witness> closed(Candidate candidate, String endedBy, @Nullable Integer origin) {
    reports.begin();
    spec.require(candidate);
    Hvc end = candidate.interval().end();
    if (end == null) {
      throw new IllegalArgumentException("an interval closes with an end: " + candidate);
    }
    if (incarnations.isStale(candidate.id())) {
      return judge();
    }
    observe(candidate.id(), end);
    Retained known = retained(candidate);
    if (known != null) {
      close(known, end);
    } else if (isJoined(candidate.version())) {
      replicas.end(FirstReplica.Key.of(candidate), end);
    } else if (!joined && end.own() >= knowledge.progress()) {
      changes.add(retain(candidate), Grade.UNCERTAIN);
    }
    return judge();
  }

  /**
   * The node has begun {@code incarnation}, and {@code first} is its first HVC there. This replaces
   * the node's first event for an instance without one. Does nothing if the incarnation is known.
   */
  @Override
  public List<Witness> restarted(int node, long incarnation, Hvc first) {
    reports.begin();
    if (incarnations.isKnown(node, incarnation)) {
      return List.of();
    }
    observe(new CandidateId(node, incarnation, 0), first);
    return judge();
  }

  private void close(Retained known, Hvc end) {
    boolean canEnd = known.isOpen() || isJoined(known.version());
    if (canEnd && FirstReplica.isEarlier(known.start(), known.end(), end)) {
      close(clauses.get(known.clause()), known, end);
      knowledge.watchEnd(known);
      // The node's latest event was as early as this end, so it decided the pairs already.
      boolean decides = joined || !knowledge.isReading(end);
      changes.add(known, decides ? Grade.UNCERTAIN : null);
    }
  }

  private void close(WatchedClause clause, Retained interval, Hvc end) {
    clause.close(interval, end);
    reports.end(interval, end.own());
  }

  /** Changes nothing: an interval that was not published is not open. */
  @Override
  public void searched(int node, long incarnation, Hvc at) {
    reports.begin();
  }

  /** Every event of every node with an own HLC at or before {@code hlc} has been passed in. */
  @Override
  public List<Witness> progress(long hlc) {
    reports.begin();
    if (!knowledge.advance(hlc)) {
      reports.raise(false);
      return List.of();
    }
    settle(0, spec.nodes());
    List<Witness> found = judge();
    if (joined) {
      replicas.forgetBefore(hlc);
    }
    return found;
  }

  /**
   * The earlier reports whose grade rose with the last event or progress. They are to be published
   * again under the same id.
   */
  @Override
  public List<Witness> raised() {
    return reports.raised();
  }

  /** {@inheritDoc} Of a version on several nodes, the first end to arrive counts. */
  @Override
  public List<Ended> ended() {
    return reports.ended();
  }

  /**
   * The least progress HLC, after the last one, at which a decision can be made or state dropped;
   * Long.MAX_VALUE if only an event can cause that. Several threads may call this while no thread
   * changes the detector.
   */
  @Override
  public long wakeAt() {
    long wake = joined ? replicas.wakeAt() : Long.MAX_VALUE;
    for (int i = 0; i < clauses.size(); i++) {
      wake = Math.min(wake, wakeAt(i));
    }
    return wake;
  }

  private long wakeAt(int clause) {
    // A checkpoint calls this in another thread, so joined replicas need an object of their own.
    Pending now =
        joined
            ? new Pending(clauses.get(clause), awaiting.get(clause), knowledge, true, spec.nodes())
            : pending.get(clause);
    return now.wakeAt();
  }

  /** Whether the detector holds no state, so that a new one is equivalent. */
  @Override
  public boolean isEmpty() {
    return size() == 0;
  }

  /** Compact, versioned bytes of the whole state: see {@link DetectorCodec}. */
  @Override
  public byte[] toBytes() {
    List<DetectorState.LatestOfNode> nodes = new ArrayList<>();
    for (int node = 0; node < spec.nodes(); node++) {
      nodes.add(new DetectorState.LatestOfNode(incarnations.newest(node), knowledge.latest(node)));
    }
    List<Retained> retained = new ArrayList<>();
    clauses.forEach(clause -> clause.forEach(retained::add));
    return DetectorCodec.encode(
        new DetectorState(
            knowledge.progress(),
            overflowed(),
            nodes,
            retained,
            reports.rising(),
            replicas,
            Reports.holding(retained)));
  }

  /**
   * The number of times that a limit was met since the start: intervals dropped unjudged, reports
   * not followed, and searches cut short. Each is a coverage gap.
   */
  public long overflowed() {
    return overflows().total();
  }

  /**
   * As {@link #overflowed}, by limit; of one that was restored, what it met before is counted as
   * intervals.
   */
  @Override
  public Overflows overflows() {
    long cut = clauses.stream().mapToLong(WatchedClause::searchesCut).sum();
    return new Overflows(lost, reports.lost(), cut);
  }

  private void observe(CandidateId id, Hvc hvc) {
    if (knowledge.observed(hvc)) {
      settle(id.node(), id.node() + 1);
    }
    if (incarnations.begin(id) && !joined) {
      endEarlierIncarnations(id, hvc);
    }
  }

  /** More is known of some nodes: pairs of some intervals may be certain now. */
  private void settle(int fromNode, int toNode) {
    for (int i = 0; i < clauses.size(); i++) {
      awaiting.get(i).settle(fromNode, toNode, changes);
      if (joined) {
        settleEnds(clauses.get(i));
      }
    }
  }

  private void settleEnds(WatchedClause clause) {
    for (int place = 0; place < clause.endedTerms(); place++) {
      clause.heldOfEnded(place).forEach(this::settleEnds);
    }
  }

  private void settleEnds(IntervalQueue queue) {
    for (int i = 0; i < queue.size(); i++) {
      if (knowledge.settleEnd(queue.get(i))) {
        changes.add(queue.get(i), Grade.UNCERTAIN);
      }
    }
  }

  private void endEarlierIncarnations(CandidateId id, Hvc first) {
    for (int i = 0; i < clauses.size(); i++) {
      WatchedClause clause = clauses.get(i);
      if (!clause.hasOpen(id.node())) {
        continue;
      }
      clause.forEach(
          interval -> {
            boolean earlier = interval.id().incarnation() < id.incarnation();
            if (earlier && interval.node() == id.node() && interval.isOpen()) {
              close(clause, interval, Incarnations.rightBefore(first, interval.start()));
              changes.add(interval, Grade.UNCERTAIN);
            }
          });
    }
  }

  /** What an opening starts; null for nothing yet, or nothing at all. */
  private @Nullable Candidate start(Candidate opening) {
    if (retained(opening) != null || (joined && opening.isCopy())) {
      return null;
    }
    if (!isJoined(opening.version())) {
      return opening;
    }
    if (opening.origin() == null) {
      replicas.find(opening);
      return null;
    }
    return replicas.start(opening);
  }

  private boolean isJoined(String version) {
    return joined && !version.isEmpty();
  }

  private @Nullable Retained retained(Candidate candidate) {
    WatchedClause clause = clauses.get(candidate.clause());
    return isJoined(candidate.version()) ? joined(clause, candidate) : clause.find(candidate);
  }

  /** Also finds a version without a time, which a node of an earlier release published. */
  private static @Nullable Retained joined(WatchedClause clause, Candidate candidate) {
    Retained known = clause.find(candidate, candidate.version());
    String untimed = known == null ? FirstReplica.untimed(candidate.version()) : null;
    return untimed == null ? known : clause.find(candidate, untimed);
  }

  private Retained retain(Candidate candidate) {
    Retained interval = new Retained(candidate, spec.countsFrom(candidate));
    add(interval);
    return interval;
  }

  private void add(Retained interval) {
    knowledge.watchEnd(interval);
    awaiting.get(interval.clause()).add(interval);
  }

  private List<Witness> judge() {
    if (joined) {
      replicas
          .settle(knowledge::isFirst)
          .forEach(found -> changes.add(retain(found), Grade.UNCERTAIN));
    }
    List<Finding> raised = reports.raise(!changes.isEmpty());
    for (int i = 0; i < raised.size(); i++) {
      clauses.get(raised.get(i).clause()).name(raised.get(i));
    }
    List<Finding> findings = judgeEach();
    changes.clear();
    for (int i = 0; i < findings.size(); i++) {
      reports.add(findings.get(i));
    }
    drop();
    return findings.isEmpty() ? List.of() : findings.stream().map(Finding::witness).toList();
  }

  private List<Finding> judgeEach() {
    List<Finding> findings = List.of();
    List<Retained> changed = changes.inOrder();
    for (int i = 0; i < changed.size(); i++) {
      Retained interval = changed.get(i);
      Grade from = interval.changedFrom();
      List<Finding> more =
          from == null ? List.of() : clauses.get(interval.clause()).judge(interval, from);
      if (!more.isEmpty()) {
        findings = findings.isEmpty() ? new ArrayList<>() : findings;
        findings.addAll(more);
      }
    }
    return findings;
  }

  private void drop() {
    for (int i = 0; i < clauses.size(); i++) {
      Pending now = pending.get(i).now();
      boolean held = now.isHeldUntilPassed();
      if (clauses.get(i).mayDrop(held ? knowledge : null)) {
        clauses
            .get(i)
            .dropPassed(
                interval -> !held || knowledge.isPassed(interval),
                interval -> now.isUseless(interval) && (!joined || isBeforeFound(interval)));
      }
    }
    for (int size = size(); size > limits.intervalsMax(); size--) {
      lost++;
      if (replicas.size() > 0) {
        replicas.forgetOne();
      } else {
        evict();
      }
    }
  }

  private void evict() {
    WatchedClause largest = Collections.max(clauses, Comparator.comparingInt(WatchedClause::size));
    Retained gone = largest.evict();
    if (gone != null) {
      reports.forget(gone);
    }
  }

  /** Whether a closed interval is before all that waits to be started. */
  private boolean isBeforeFound(Retained interval) {
    Hvc end = interval.end();
    for (Candidate waiting : replicas.found().values()) {
      if (end == null || !spec.causality().endsBefore(end, waiting.interval().start())) {
        return false;
      }
    }
    return true;
  }

  private int size() {
    int size = replicas.size();
    for (WatchedClause clause : clauses) {
      size += clause.size();
    }
    return size;
  }
}
