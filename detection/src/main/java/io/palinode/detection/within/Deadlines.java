package io.palinode.detection.within;

import io.palinode.detection.Candidate;
import io.palinode.detection.CandidateId;
import io.palinode.detection.DetectionSpec;
import io.palinode.detection.Witness;
import io.palinode.detection.within.Deadline.Certainty;
import io.palinode.hvc.Grade;
import io.palinode.hvc.Hvc;
import io.palinode.hvc.Interval;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;

/**
 * The triggers of one instance that wait for their deadlines, and the answers that are known.
 *
 * <ul>
 *   <li><b>Sound</b>: a reported trigger has no answer that is surely in time. It is {@link
 *       Grade#DEFINITE} if none may be; else {@link Grade#POSSIBLE}, and the witness names the
 *       first that may be.
 *   <li><b>Complete</b>: each trigger is answered, reported, or counted as not judged.
 *   <li><b>Bounded</b>: of more than {@code intervalsMax} triggers and answers the first trigger is
 *       not judged. If there are only answers, one is forgotten, and no trigger is judged that it
 *       may have answered.
 * </ul>
 *
 * An event costs O(triggers + answers). Not thread-safe.
 */
public final class Deadlines {
  private static final Comparator<Candidate> BY_START =
      Comparator.<Candidate>comparingLong(candidate -> candidate.interval().start().own())
          .thenComparingInt(candidate -> candidate.id().node())
          .thenComparingLong(candidate -> candidate.id().incarnation())
          .thenComparingLong(candidate -> candidate.id().sequence());

  private static final Comparator<Candidate> BY_END =
      Comparator.comparingLong(Deadlines::endOf).thenComparing(BY_START);

  private final Deadline deadline;
  private final int intervalsMax;
  private final TreeSet<Candidate> triggers = new TreeSet<>(BY_START);
  private final TreeSet<Candidate> open = new TreeSet<>(BY_START);
  private final TreeSet<Candidate> ended = new TreeSet<>(BY_END);
  private final Doubts doubts;

  /** Nodes of which ends may be missing; not in the state, as callers repeat it. */
  private final BitSet endsMissing = new BitSet();

  private long progress;
  private long dropped;
  private long unjudged;
  private long missingFrom = Long.MAX_VALUE;

  /**
   * All that is kept, for the bytes of a detector.
   *
   * @param dropped triggers that a limit kept from being judged
   * @param unjudged triggers that were not judged since an answer may have been missed
   * @param unsureSince of each node, {@code Long.MAX_VALUE} if it is known what is open there
   */
  public record State(
      long progress,
      long dropped,
      long unjudged,
      Collection<Candidate> intervals,
      List<Long> unsureSince,
      List<Doubt> doubts) {}

  public Deadlines(DetectionSpec spec, int intervalsMax) {
    this.deadline = new Deadline(spec);
    this.intervalsMax = intervalsMax;
    this.doubts = new Doubts(spec.nodes());
  }

  /** Behaves as the one that {@code state} is of. */
  public Deadlines(DetectionSpec spec, int intervalsMax, State state) {
    this(spec, intervalsMax);
    progress = state.progress();
    dropped = state.dropped();
    unjudged = state.unjudged();
    for (Candidate candidate : state.intervals()) {
      setOf(candidate).add(candidate);
    }
    for (int node = 0; node < spec.nodes(); node++) {
      doubts.unsure(node, state.unsureSince().get(node));
    }
    state.doubts().forEach(doubts::add);
  }

  public State state() {
    List<Candidate> intervals = new ArrayList<>(triggers);
    intervals.addAll(open);
    intervals.addAll(ended);
    List<Long> unsureSince = new ArrayList<>();
    for (int node = 0; node < doubts.nodes(); node++) {
      unsureSince.add(doubts.unsureSince(node));
    }
    return new State(progress, dropped, unjudged, intervals, unsureSince, doubts.spans());
  }

  private Set<Candidate> setOf(Candidate candidate) {
    return isTrigger(candidate) ? triggers : candidate.interval().isOpen() ? open : ended;
  }

  private static boolean isTrigger(Candidate candidate) {
    return candidate.term() == 0;
  }

  /**
   * A term became true; it may have ended. Of a version that another node accepted first, no answer
   * is asked for again.
   */
  public void began(Candidate candidate) {
    if (!isTrigger(candidate)) {
      answer(candidate);
    } else if (!candidate.isCopy()) {
      ask(candidate);
    }
  }

  private void ask(Candidate trigger) {
    if (trigger.interval().start().own() <= progress) {
      // Answers to it may have been dropped.
      unjudged++;
      noteMissing(trigger);
    } else if (!isAnswered(trigger)) {
      triggers.add(trigger);
      keepWithinLimit();
    }
  }

  private boolean isAnswered(Candidate trigger) {
    return open.stream().anyMatch(answer -> answers(answer, trigger))
        || ended.stream().anyMatch(answer -> answers(answer, trigger));
  }

  /** A term is no longer true. How long a trigger is true changes nothing. */
  public void ended(Candidate candidate) {
    if (!isTrigger(candidate)) {
      open.remove(candidate);
      answer(candidate);
    }
  }

  private void answer(Candidate answer) {
    triggers.removeIf(trigger -> answers(answer, trigger));
    if (!isPassed(answer)) {
      setOf(answer).add(answer);
      keepWithinLimit();
    }
  }

  /** Answers of earlier incarnations of the node that are open end as {@code ending} has them. */
  public void endEarlier(int node, long incarnation, UnaryOperator<Candidate> ending) {
    for (Candidate answer : List.copyOf(open)) {
      CandidateId id = answer.id();
      if (id.node() == node && id.incarnation() < incarnation) {
        ended(ending.apply(answer));
      }
    }
  }

  /** Answers between two HLCs may be missing. */
  public void missed(long from, long to) {
    doubts.add(new Doubt(from, to, false));
  }

  /** Answers that opened between two HLCs may be unknown; those that opened later are known. */
  public void unpublished(long since, long until) {
    doubts.add(new Doubt(since, until, true));
  }

  /** Answers that are open at the node since an HLC may be missing, until {@link #sure}. */
  public void unsure(int node, long since) {
    doubts.unsure(node, since);
  }

  /**
   * As {@link #unsure}, and an answer that is open at the node may have ended: it does not answer a
   * trigger that began later.
   */
  public void unsureOfEnds(int node, long since) {
    doubts.unsure(node, since);
    endsMissing.set(node);
  }

  /** From {@code at} on, it is known what is open at the node. */
  public void sure(int node, long at) {
    doubts.sure(node, at);
    endsMissing.clear(node);
  }

  /**
   * Judges each trigger whose deadline is at or before {@code hlc}, in the order of deadlines. All
   * events until then were passed in.
   */
  public void judge(long hlc, Consumer<Witness> witnesses) {
    while (!triggers.isEmpty() && deadlineOf(triggers.first()) <= hlc) {
      judge(triggers.pollFirst(), witnesses);
    }
    progress = Math.max(progress, hlc);
    while (!ended.isEmpty() && isPassed(ended.first())) {
      ended.pollFirst();
    }
    doubts.dropBefore(neededFrom(), deadline.epsilon());
  }

  private void judge(Candidate trigger, Consumer<Witness> witnesses) {
    Hvc start = trigger.interval().start();
    List<Candidate> near = new ArrayList<>();
    boolean mayHaveEnded = false;
    for (TreeSet<Candidate> answers : List.of(open, ended)) {
      for (Candidate answer : answers) {
        Certainty isInTime = deadline.isInTime(start, answer.interval());
        if (isInTime == Certainty.YES) {
          if (!mayHaveEnded(answer, trigger)) {
            return;
          }
          mayHaveEnded = true;
        } else if (isInTime == Certainty.MAYBE) {
          near.add(answer);
        }
      }
    }
    if (mayHaveEnded || doubts.touch(start.own(), deadlineOf(trigger), deadline.epsilon())) {
      unjudged++;
      noteMissing(trigger);
    } else {
      witnesses.accept(witness(trigger, near));
    }
  }

  private boolean mayHaveEnded(Candidate answer, Candidate trigger) {
    return answer.interval().isOpen()
        && endsMissing.get(answer.id().node())
        && !answers(answer, trigger);
  }

  private Witness witness(Candidate trigger, List<Candidate> near) {
    List<Candidate> named = new ArrayList<>(List.of(trigger));
    near.stream().min(BY_START).ifPresent(named::add);
    return new Witness(
        0,
        named,
        near.isEmpty() ? Grade.DEFINITE : Grade.POSSIBLE,
        trigger.interval().start().own(),
        deadlineOf(trigger));
  }

  /** Whether it is in time whatever becomes of it. */
  private boolean answers(Candidate answer, Candidate trigger) {
    Hvc start = answer.interval().start();
    Hvc end = answer.interval().end();
    Interval known = new Interval(start, end == null ? start : end);
    return deadline.isInTime(trigger.interval().start(), known) == Certainty.YES;
  }

  /** The least own start of a trigger that waits or may come. */
  private long neededFrom() {
    long next = Deadline.later(progress, 1);
    return triggers.isEmpty() ? next : Math.min(next, triggers.first().interval().start().own());
  }

  private boolean isPassed(Candidate answer) {
    return Deadline.later(endOf(answer), deadline.epsilon()) < neededFrom();
  }

  private void keepWithinLimit() {
    while (triggers.size() + open.size() + ended.size() > intervalsMax) {
      if (!triggers.isEmpty()) {
        noteMissing(triggers.pollFirst());
        dropped++;
      } else {
        Candidate answer = ended.isEmpty() ? open.pollFirst() : ended.pollFirst();
        missed(answer.interval().start().own(), endOf(answer));
      }
    }
  }

  private void noteMissing(Candidate trigger) {
    missingFrom = Math.min(missingFrom, deadlineOf(trigger));
  }

  private static long endOf(Candidate answer) {
    Hvc end = answer.interval().end();
    return end == null ? Long.MAX_VALUE : end.own();
  }

  private long deadlineOf(Candidate trigger) {
    return deadline.of(trigger.interval().start());
  }

  /** The least progress that decides or drops something; {@code Long.MAX_VALUE} for none. */
  public long wakeAt() {
    if (!triggers.isEmpty()) {
      return deadlineOf(triggers.first());
    }
    return ended.isEmpty()
        ? Long.MAX_VALUE
        : Deadline.later(endOf(ended.first()), deadline.epsilon());
  }

  /** Whether nothing is kept but what all nodes publish again. */
  public boolean isEmpty() {
    return triggers.isEmpty()
        && open.isEmpty()
        && ended.isEmpty()
        && doubts.spans().stream().noneMatch(span -> span.to() == Long.MAX_VALUE);
  }

  /** Triggers that wait for their deadlines. */
  public int waiting() {
    return triggers.size();
  }

  /**
   * All violations with {@link Witness#violate} below this were judged, since this was made; {@code
   * Long.MAX_VALUE} if all were.
   */
  public long missingFrom() {
    return triggers.isEmpty() ? missingFrom : Math.min(missingFrom, deadlineOf(triggers.first()));
  }

  /** Triggers that a limit kept from being judged. */
  public long dropped() {
    return dropped;
  }

  /** Triggers that were not judged since an answer may have been missed. */
  public long unjudged() {
    return unjudged;
  }
}
