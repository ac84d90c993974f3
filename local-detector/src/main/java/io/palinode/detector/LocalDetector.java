package io.palinode.detector;

import io.palinode.detector.Emission.Closed;
import io.palinode.detector.Emission.Event;
import io.palinode.detector.Emission.Gap;
import io.palinode.detector.Emission.IntervalEvent;
import io.palinode.detector.Emission.Late;
import io.palinode.detector.Emission.Opened;
import io.palinode.detector.Emission.Progress;
import io.palinode.detector.Emission.KeyState;
import io.palinode.detector.KeyScan.Found;
import io.palinode.detector.OpenInterval.Source;
import io.palinode.detector.TermIndex.Match;
import io.palinode.hvc.Hlc;
import io.palinode.hvc.Hvc;
import io.palinode.predicate.Clause;
import io.palinode.predicate.Term;
import io.palinode.wire.CandidateRecords;
import io.palinode.wire.v1.IntervalRef;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Function;
import java.util.function.ToIntFunction;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Watches the writes of one node: opens an interval when a version makes a term true, closes it
 * when that version is gone, and puts both into the ring.
 *
 * <p>A term holds at a key under a binding while any sibling makes it hold; each of these siblings
 * has an interval of its own, so that the term holds exactly while one of them is open, and
 * replicas name an interval alike.
 *
 * <p>Of a key whose replicas are compared each write tells what the node has now, and nothing is
 * kept here. {@link Progress} says of which predicates every key has been told.
 *
 * <p>Two locks. The store's write lock guards all fields that a write touches: {@link #written}
 * runs under it, the others take it for short steps, by {@link StoreBinding#atomically} where they
 * read the store or need no write to be under way, else by {@link StoreBinding#ordered}, which
 * stops no writes. The monitor of this object comes before it, and keeps {@link #setPredicates},
 * {@link #reset} and {@link #holding} apart from each other; a write never takes it. Whether
 * anything is missed is known without a lock ({@link #missedWrite}, {@link #giveUp}): whoever is about
 * to say how far the node has come looks at that last.
 *
 * <p>It is one class, long as it is, because these two locks order all of it.
 *
 * <p>A predicate that arrives while writes go on is in the index before the store is scanned for
 * it. Each key that the scan finds is read again under the write lock, all writes before being
 * heard and none under way, so what opens there is what the writes agree on; a key that comes true
 * after the index changed is opened by its write.
 */
public final class LocalDetector implements StoreBinding.WriteListener {
  /** Keys that are read again in one hold of the write lock. */
  private static final int KEYS_PER_STEP = 64;

  private static final long ROOM_WAIT_SECONDS = 10;

  /** What is told of a value; of a longer one the beginning, and how long it is. */
  static final int VALUE_TOLD_MAX = 16 << 10;

  /** What is kept of a value while its interval is open; a decimal is never longer. */
  static final int VALUE_KEPT_MAX = 128;

  /** Siblings that are told beside the version that names the interval. */
  private static final int SIBLINGS_TOLD_MAX = 8;

  /** How often it is told that something holds for which there was no room; less than the hold. */
  private static final long UNOPENED_TOLD_MICROS = 10_000_000;

  private final StoreBinding store;
  private final CandidateRing ring;
  private final ToIntFunction<String> partitionOf;
  private final OpenIntervals open;
  private final long[] sequences;
  private final Truth truth = new Truth();
  private final Failures failures = new Failures();
  private final LongAdder openedCount = new LongAdder();
  private final LongAdder closedCount = new LongAdder();

  /** Replaced as a whole, under the monitor. */
  private volatile Map<String, ActivePredicate> predicates = Map.of();

  /** Watched ones whose scan is to come, or failed; guarded by the monitor. */
  private List<ActivePredicate> unscanned = List.of();

  /** Keys that the store changed by itself since the last reset; guarded by the monitor. */
  private final Set<StoreKey> changed = new HashSet<>();

  /** It may have changed any; guarded likewise. */
  private boolean anyChanged;

  /** Whether the newest reset has yet to open something; guarded by the monitor. */
  private boolean resetUnfinished;

  /** Whether anything has happened since that was asked last. */
  private volatile boolean active;

  private TermIndex index = TermIndex.EMPTY;
  private long epoch;
  private boolean watching;

  /** Whether writes are missed, for good. */
  private volatile boolean gaveUp;

  /** Whether a write was missed, and nobody was told. */
  private volatile boolean unheard;

  /** How far the node has said that it came in this epoch; first, where that began. */
  private long toldUpTo;

  /** Whether every interval that holds is open: none was refused for lack of room, or by a bug. */
  private boolean complete;

  /** Whether something was refused for lack of room, and nobody has looked for it since. */
  private boolean unopened;

  private long unopenedToldMicros = -UNOPENED_TOLD_MICROS;

  private final Unpublished untold;

  /** When a write was missed last whose key nobody knows, until it is looked for; else null. */
  private @Nullable Hvc endsMissed;

  /** Of which each key has been told in this epoch. */
  private List<ActivePredicate> searched = List.of();

  /** Keys of which a state was dropped: what is there by then is told anew; oldest first. */
  private final Set<StoreKey> statesDropped = new LinkedHashSet<>();

  /** Whether a state was dropped, nobody knows of which key: a scan finds those that are there. */
  private boolean stateDropped;

  /** When the epoch was over for this node, or the next one began; null while it speaks. */
  private @Nullable Hvc overSince;

  /**
   * Hears nothing before it is the store's listener and {@link #reset} was called.
   *
   * @param partitionOf the partition of a predicate instance {@code <predicate>|<binding>}, below
   *     the ring's number of partitions
   */
  public LocalDetector(
      StoreBinding store,
      CandidateRing ring,
      ToIntFunction<String> partitionOf,
      int openIntervalsMax) {
    this.store = store;
    this.ring = ring;
    this.partitionOf = partitionOf;
    this.open = new OpenIntervals(openIntervalsMax);
    this.untold = new Unpublished(ring, openIntervalsMax);
    this.sequences = new long[ring.partitions()];
  }

  /**
   * Watches for exactly these predicates from now on. Intervals of versions that are not among them
   * are forgotten; what already holds of the new ones is opened now, at the clock's time and with
   * an unknown origin; or by the next {@link #reset}, once the epoch is over. When the store throws
   * they are watched already, and what holds of them is opened by the next call of this, or of
   * {@link #reset}. O(keys in the store) when there are new ones; writes go on meanwhile.
   */
  public synchronized void setPredicates(Collection<ActivePredicate> active) {
    Map<String, ActivePredicate> next =
        active.stream()
            .collect(Collectors.toUnmodifiableMap(ActivePredicate::name, Function.identity()));
    List<ActivePredicate> arrived = next.values().stream().filter(p -> !isScanned(p)).toList();
    boolean left = predicates.values().stream().anyMatch(p -> !isVersionIn(next, p));
    TermIndex nextIndex = TermIndex.of(next.values());
    predicates = next;
    unscanned = arrived;
    store.followAccesses(active.stream().anyMatch(ActivePredicate::undoesOnlySome));
    store.atomically(
        () -> {
          index = nextIndex;
          if (left) {
            open.forget(term -> !isVersionIn(next, term));
            untold.forget(term -> !isVersionIn(next, term));
            searched = searched.stream().filter(of -> isVersionIn(next, of)).toList();
          }
        });
    if (watching && overSince == null && !arrived.isEmpty()) {
      TermIndex terms = TermIndex.of(arrived);
      Found found = scanFor(terms);
      openThose(found, terms);
      unscanned = List.of();
      noteSearched(found, arrived);
    }
  }

  /**
   * The epoch is over for this node, whose state is now what the next one begins with: until the
   * next {@link #reset} nothing is told, no progress either, and what that finds is open from its
   * beginning, which is not before now. So if every node says so before any may serve the next
   * epoch, then however late one of them opens it, it finds again what held from the beginning, and
   * has told no progress past that. Only while paused; a repeat changes nothing.
   */
  public synchronized void endEpoch() {
    store.atomically(
        () -> {
          if (watching && overSince == null) {
            tellUnheard();
            overSince = store.clock().tick();
          }
        });
  }

  /** {@link #reset(long, long)} for an epoch that begins when this node has ended the last. */
  public synchronized void reset(long newEpoch) {
    reset(newEpoch, 0);
  }

  /**
   * Starts the epoch: forgets every interval and opens those that hold in the state as it is. A
   * repeat for the epoch it is in does only what one before that threw has left. Only while the
   * node serves no writes: after a restart, and at the end of a rollback. O(keys in the store) the
   * first time, then O(open intervals + changed keys).
   *
   * @param after the epoch begins right after this on every node, or as late as this clock is
   */
  public synchronized void reset(long newEpoch, long after) {
    if (gaveUp) {
      return;
    }
    if (watching && epoch == newEpoch) {
      finishReset();
      return;
    }
    // A state that did not change is to be told, too.
    Collection<StoreKey> known = index.hasStates() ? null : keysThatMayHold();
    changed.clear();
    anyChanged = false;
    resetUnfinished = true;
    store.atomically(
        () -> {
          epoch = newEpoch;
          watching = !gaveUp;
          complete = true;
          unopened = false;
          stateDropped = false;
          statesDropped.clear();
          searched = List.of();
          open.clear();
          untold.clear();
          endsMissed = null;
          if (overSince != null) {
            long begin = Math.max(overSince.own(), after + 1);
            overSince = overSince.withOwn(Math.min(begin, store.clock().tick().own()));
          }
          toldUpTo = (overSince == null ? store.clock().last() : overSince).own();
          // What it would open, nobody would end.
          tellGivenUp();
        });
    if (known != null) {
      openThose(new Found(known, true, true), index);
      allIsOpen();
    }
    finishReset();
  }

  /** By a scan, which opens only what is not open: a reset that failed half-way goes on here. */
  private void finishReset() {
    if (resetUnfinished) {
      Found found = scanFor(index);
      openThose(found, index);
      allIsOpen();
      noteSearched(found, predicates.values());
    }
  }

  private void allIsOpen() {
    resetUnfinished = false;
    unscanned = List.of();
    store.atomically(() -> overSince = null);
  }

  /** Of those that compare replicas, every key has been told, if there was room for all. */
  private void noteSearched(Found found, Collection<ActivePredicate> of) {
    List<ActivePredicate> comparing =
        of.stream().filter(ActivePredicate::comparesReplicas).toList();
    if (!found.allStates() || comparing.isEmpty()) {
      return;
    }
    store.atomically(
        () -> {
          // What was found of a state that is taken back was not told.
          if (store.restoredEpoch() <= epoch) {
            searched = Stream.concat(searched.stream(), comparing.stream()).distinct().toList();
          }
        });
  }

  /** The store changed these keys other than by writes, while it was paused. */
  public synchronized void noteChanged(Collection<StoreKey> keys) {
    // Of most keys no term speaks. A predicate that comes later is looked for by a scan.
    keys.stream().filter(key -> !index.match(key).isEmpty()).forEach(changed::add);
  }

  /** The store changed keys by itself, while it was paused, and does not tell which. */
  public synchronized void noteAnyChanged() {
    anyChanged = true;
  }

  /**
   * Hears no more writes and reports no more progress, for good. Returns how far the node has come
   * when that is all that it had to say: with everything in the ring sent, nothing of it is
   * missing. Null when it has not begun, between two epochs, where what it would find is untold,
   * and while something else is.
   */
  public synchronized @Nullable Progress stop() {
    @Nullable Progress[] last = {null};
    store.atomically(
        () -> {
          boolean whole = !resetUnfinished && overSince == null && endsMissed == null;
          boolean allTold = untold.isEmpty() && statesDropped.isEmpty();
          Progress reached = watching && whole && allTold ? progress() : null;
          boolean isLast = reached != null && store.promises(reached.hvc().own());
          last[0] = isLast && !misses() ? reached : null;
          watching = false;
        });
    return last[0];
  }

  /**
   * A write was not heard, nobody knows of which key: told as a gap in every partition, since the
   * node said last how far it had come, and what it may have begun and ended is looked for by the
   * next {@link #openRefused}. Of a state a delete is not found.
   */
  public void missed() {
    missedWrite();
    store.ordered(this::tellUnheard);
  }

  /**
   * {@inheritDoc} As {@link #missed}, which is done before the node says again how far it has come.
   */
  @Override
  public void missedWrite() {
    unheard = true;
  }

  /**
   * Publishes a coverage gap from {@code sinceHlc} to now in every partition. Open intervals and
   * their terms are not searched again. For writes that no predicate evaluates.
   */
  public void publishGap(long sinceHlc) {
    store.ordered(
        () -> {
          if (watching) {
            loseOneOfEachPartition(Math.min(sinceHlc, toldUpTo), store.clock().tick().own());
          }
        });
  }

  /** In the order of writes. */
  private void tellUnheard() {
    if (unheard && watching) {
      // First: what is missed from now on is told once more.
      unheard = false;
      boolean told = false;
      try {
        complete = false;
        unopened = true;
        stateDropped |= index.hasStates();
        endsMissed = store.clock().tick();
        loseOneOfEachPartition(toldUpTo, endsMissed.own());
        told = true;
      } finally {
        if (!told) {
          unheard = true;
        }
      }
    }
  }

  /**
   * Writes will be missed from now on, for good: tells so, as a gap in every partition, and says no
   * more, in no later epoch either. Other than {@link #stop} it leaves it open how far the node
   * came. Waits for no scan; no progress is told once this was called, be it that it waits.
   */
  public void giveUp() {
    gaveUp = true;
    store.ordered(this::tellGivenUp);
  }

  /** In the order of writes. */
  private void tellGivenUp() {
    if (watching && isDeaf()) {
      gaveUp = true;
      loseOneOfEachPartition(toldUpTo, store.clock().tick().own());
      watching = false;
    }
  }

  private boolean isDeaf() {
    return gaveUp || !store.passesEveryWrite();
  }

  private boolean misses() {
    return unheard || isDeaf();
  }

  /** The terms that speak of a key. */
  List<Match> matches(StoreKey key) {
    return index.match(key);
  }

  /** What holds now at a key. Only while paused. */
  synchronized List<Holding> holdingAt(StoreKey key) {
    List<Match> matches = index.match(key);
    return matches.isEmpty() ? List.of() : truth.of(matches, store.siblings(key));
  }

  /** What holds now, each term and binding once. Only while paused. Costs as {@link #reset}. */
  public synchronized List<IntervalRef> holding() {
    Set<IntervalRef> holding = new LinkedHashSet<>();
    Collection<StoreKey> known = keysThatMayHold();
    if (known == null) {
      store.scan((key, siblings) -> addHolding(index.match(key), siblings, holding));
    } else {
      for (StoreKey key : known) {
        List<Match> matches = index.match(key);
        if (!matches.isEmpty()) {
          addHolding(matches, store.siblings(key), holding);
        }
      }
    }
    return List.copyOf(holding);
  }

  private void addHolding(List<Match> matches, List<Version> siblings, Set<IntervalRef> holding) {
    truth.of(matches, siblings).forEach(held -> holding.add(CandidateEncoder.onCut(held)));
  }

  /**
   * Adds the node's time to the ring as progress; false when there was no room, or the node has
   * nothing to say now. A bug is counted.
   *
   * <p>What progress promises is that nothing with an earlier reading is told after it. Every event
   * gets its reading and comes into the ring (or becomes a gap) in one turn of the order of writes,
   * and so does progress. A turn before it has added its event, and the ring keeps their order; a
   * turn after it gets later readings, for the clock only grows. A write that is under way without
   * having had its turn has no reading yet. One that has had it, and is not yet committed, has been
   * told: that is all that progress speaks of, and whoever reads the store itself keeps writes away
   * first ({@link StoreBinding#pause}). One that was missed is told as lost before; whether any was
   * is looked at after the reading, so one that is missed later is not before it.
   */
  public boolean reportProgress() {
    boolean[] added = {false};
    try {
      store.ordered(
          () -> {
            tellGivenUp();
            added[0] = watching && overSince == null && tellProgress();
          });
    } catch (RuntimeException bug) {
      failures.record(bug);
    }
    return added[0];
  }

  private boolean tellProgress() {
    tellUnheard();
    tellUnopened();
    if (!tellLate()) {
      return false;
    }
    Progress reached = progress();
    if (!store.promises(reached.hvc().own()) || misses() || !ring.add(reached)) {
      return false;
    }
    toldUpTo = reached.hvc().own();
    return true;
  }

  /** Told again and again: what holds and is not open would else be missed, once told. */
  private void tellUnopened() {
    long now = Hlc.micros(store.clock().last().own());
    if (unopened && now - unopenedToldMicros >= UNOPENED_TOLD_MICROS) {
      unopenedToldMicros = now;
      loseOneOfEachPartition(store.clock().tick().own());
    }
  }

  /**
   * Opens what there was no room for, once there is some, tells dropped states anew, and ends what
   * a missed write has ended. Called now and then by a thread that may take its time: O(keys in the
   * store) when there was something, and there is room; else O(states that were dropped).
   */
  public synchronized void openRefused() {
    if (unheard) {
      store.ordered(this::tellUnheard);
    }
    RuntimeException unread = endMissed();
    tellDropped();
    openUnopened();
    if (unread != null) {
      throw unread;
    }
  }

  private void openUnopened() {
    boolean[] due = {false};
    boolean[] withStates = {false};
    store.ordered(() -> due[0] = isOpeningDue());
    if (due[0]) {
      // With no write under way: the scan is to see also what was refused last.
      store.atomically(
          () -> {
            due[0] = isOpeningDue();
            withStates[0] = due[0] && stateDropped;
            // What is refused while the scan goes on says so again.
            unopened &= !due[0];
            stateDropped &= !due[0];
          });
    }
    if (due[0]) {
      TermIndex terms = withStates[0] ? index : indexWithoutStates();
      try {
        openThose(scanFor(terms), terms);
      } catch (RuntimeException failed) {
        store.ordered(
            () -> {
              unopened = true;
              stateDropped |= withStates[0];
            });
        throw failed;
      }
    }
  }

  private void tellDropped() {
    List<StoreKey> keys = new ArrayList<>();
    store.ordered(
        () -> {
          // Those that wait have their own time, and are not to make room for these.
          if (watching && overSince == null && untold.isEmpty()) {
            keys.addAll(statesDropped);
            statesDropped.clear();
          }
        });
    try {
      openThose(new Found(keys, true, true), index);
    } catch (RuntimeException failed) {
      store.ordered(() -> keys.forEach(this::dropState));
      throw failed;
    }
  }

  /** With the write lock. */
  private void dropState(StoreKey key) {
    if (statesDropped.size() < open.intervalsMax()) {
      statesDropped.add(key);
    } else {
      stateDropped = true;
      unopened = true;
    }
  }

  private TermIndex indexWithoutStates() {
    return TermIndex.of(predicates.values().stream().filter(of -> !of.comparesReplicas()).toList());
  }

  private boolean isOpeningDue() {
    boolean isDue = stateDropped || (unopened && open.hasRoom(untold.ends()));
    return isDue && watching && overSince == null;
  }

  /**
   * An interval whose version is gone, and whose end was not heard, ended by the last miss. What a
   * key could not be read for, which is tried again by the next call; null: all were.
   */
  private @Nullable RuntimeException endMissed() {
    List<StoreKey> keys = new ArrayList<>();
    @Nullable Hvc[] missed = {null};
    store.ordered(
        () -> {
          Hvc at = endsMissed;
          boolean isDue = watching && overSince == null;
          // What ends then also says that all before is told.
          missed[0] = isDue && at != null && store.promises(at.own()) ? at : null;
          keys.addAll(missed[0] == null ? List.of() : open.keys());
        });
    Hvc by = missed[0];
    if (by == null) {
      return null;
    }
    @Nullable RuntimeException[] unread = {null};
    for (int from = 0; from < keys.size(); from += KEYS_PER_STEP) {
      List<StoreKey> step = keys.subList(from, Math.min(from + KEYS_PER_STEP, keys.size()));
      store.atomically(() -> step.forEach(key -> endGone(key, by, unread)));
    }
    if (unread[0] == null) {
      store.ordered(() -> endsMissed = Objects.equals(by, endsMissed) ? null : endsMissed);
    }
    return unread[0];
  }

  private void endGone(StoreKey key, Hvc by, @Nullable RuntimeException[] unread) {
    if (store.restoredEpoch() > epoch) {
      return;
    }
    try {
      for (OpenInterval gone : open.gone(key, store.siblings(key))) {
        // What began later ended by a later miss.
        if (gone.start().own() <= by.own() && open.remove(gone)) {
          close(gone, by, null, "", null);
        }
      }
    } catch (RuntimeException failed) {
      // One key is not to keep the others from being ended.
      unread[0] = failed;
    }
  }

  /**
   * This has not arrived, and never will: it is part of a gap. Then it is told late, with the time
   * at which it was: an end, and what a node once had of a key, also when it has something else by
   * now, for what was told before would seem to go on; an interval's beginning only while it is
   * open. Nothing is read for it.
   */
  public void lost(Event event) {
    store.ordered(
        () -> {
          // In the same turn, lest progress comes between the gap and what it is to wait for.
          ring.lost(event.lost());
          if (!watching || event.epoch() != epoch) {
            return;
          }
          if (event instanceof Late late) {
            keepLate(late);
          } else if (event instanceof IntervalEvent opened && open.contains(opened.interval())) {
            untold.add(opened.interval());
          }
        });
  }

  /**
   * Whether there was a write, watched or not, or an {@link #expectProgress}, since this was asked
   * last, or something holds: then somebody may wait for progress. The first sign of activity after
   * this was asked wakes whoever waits at the ring.
   */
  public boolean takeActivity() {
    boolean taken = active;
    if (taken) {
      // Only then: one that has come meanwhile, and has woken somebody, is not to be taken back.
      active = false;
    }
    return taken || open.size() > 0;
  }

  /** Somebody waits until every node has told how far it has come. */
  void expectProgress() {
    if (!active) {
      active = true;
      ring.wake();
    }
  }

  private void keepLate(Late late) {
    if (untold.add(late) instanceof KeyState dropped) {
      dropState(dropped.key());
    }
  }

  /**
   * What is untold, in the order of time: each event says that all before it was told. From what is
   * kept in memory, for the store may fail. Whether none is left.
   */
  private boolean tellLate() {
    boolean goesOn = true;
    for (int i = 0; goesOn && i < KEYS_PER_STEP && !untold.isEmpty() && ring.hasRoom(1); i++) {
      OpenInterval opening = untold.nextOpening();
      goesOn = opening == null ? untold.tellNext(sequences) : tellLate(opening);
    }
    return untold.isEmpty();
  }

  private boolean tellLate(OpenInterval dropped) {
    List<Holding> holding = open.holdingAt(dropped.key());
    untold.remove(dropped);
    // It may be over, with its end on the way here.
    if (!open.remove(dropped)) {
      return true;
    }
    OpenInterval interval = dropped.withSequence(++sequences[dropped.partition()]);
    open.add(interval);
    boolean told = ring.add(new Opened(epoch, interval, versions(interval.holding(), holding)));
    if (!told) {
      untold.add(interval);
    }
    return told;
  }

  private Progress progress() {
    return new Progress(
        epoch, store.clock().tick(), Arrays.stream(sequences).boxed().toList(), searched);
  }

  /** {@inheritDoc} Of others it is enough that there was one: somebody may wait for progress. */
  @Override
  public boolean watches(StoreKey key) {
    if (!watching) {
      return false;
    }
    expectProgress();
    try {
      return !index.match(key).isEmpty();
    } catch (RuntimeException bug) {
      // It comes again when the write is heard, and is counted there.
      return true;
    } catch (Error fatal) {
      missedWrite();
      throw fatal;
    }
  }

  /**
   * Never throws into the store: a bug here is counted, and shown as a gap in every partition, for
   * what the write would have meant is not known. An error of the virtual machine goes on: the
   * write is one that was {@link #missed}.
   */
  @Override
  public void written(WriteEvent event) {
    if (!watching) {
      return;
    }
    boolean told = false;
    try {
      hear(event);
      told = true;
    } finally {
      if (!told) {
        missedWrite();
      }
    }
  }

  private void hear(WriteEvent event) {
    try {
      expectProgress();
      List<Match> matches = index.match(event.key());
      if (!matches.isEmpty()) {
        hear(event, matches);
      }
    } catch (VirtualMachineError fatal) {
      throw fatal;
    } catch (Throwable bug) {
      failures.record(bug);
      complete = false;
      loseOneOfEachPartition(event.after().own());
      endUnheard(event);
      if (index.hasStates()) {
        dropState(event.key());
      }
    }
  }

  /** What the write has ended is known without asking a term. */
  private void endUnheard(WriteEvent event) {
    try {
      end(open.gone(event.key(), event.siblings()), event);
    } catch (RuntimeException bug) {
      failures.record(bug);
    }
  }

  private void hear(WriteEvent event, List<Match> matches) {
    List<Holding> holding = truth.of(matches, event.siblings());
    // Ends come first: they lie before the write, what begins lies after it.
    end(open.ended(event.key(), holding), event);
    for (Holding held : holding) {
      if (!open.contains(event.key(), held)) {
        Source source =
            isWritten(held, event) ? new Source(event.writer(), event.origin()) : found(held);
        open(event.key(), held, holding, event.after(), source);
      }
    }
    if (index.hasStates()) {
      Source writer = new Source(event.writer(), event.origin());
      tellStates(event.key(), matches, event.siblings(), event.after(), writer);
    }
  }

  /** All are taken out first: with the first end, what is untold and open is told anew. */
  private void end(List<OpenInterval> over, WriteEvent event) {
    for (OpenInterval ended : over) {
      boolean unused = open.remove(ended);
    }
    int told = 0;
    try {
      for (OpenInterval ended : over) {
        close(ended, event);
        told++;
      }
    } finally {
      for (int i = told; i < over.size(); i++) {
        // Whoever looks for what the write has ended finds it, and tells its end.
        open.add(over.get(i));
      }
    }
  }

  /** What the node has of the key, to the terms that compare its replicas. */
  private void tellStates(
      StoreKey key, List<Match> matches, List<Version> siblings, Hvc start, Source source) {
    for (int i = 0; i < matches.size(); i++) {
      Match match = matches.get(i);
      if (match.term().isState() && truth.isAdmitted(match)) {
        boolean allTold = tellLate();
        KeyState told = told(match, key, siblings, start, source);
        if (!untold.tell(told, allTold)) {
          keepLate(told);
        }
      }
    }
  }

  private KeyState told(Match match, StoreKey key, List<Version> siblings, Hvc start, Source source) {
    String instance =
        CandidateRecords.instanceKey(match.term().predicate(), match.byKey().toString());
    int partition = partitionOf.applyAsInt(instance);
    return new KeyState(
        epoch,
        partition,
        ++sequences[partition],
        instance,
        match,
        key,
        start,
        StateDigest.of(siblings),
        store.replicas(key),
        siblings.stream()
            .limit(SIBLINGS_TOLD_MAX)
            .map(version -> version.beginning(VALUE_KEPT_MAX))
            .toList(),
        source);
  }

  /** A version that was there before, and was not open, was found rather than written. */
  private static boolean isWritten(Holding held, WriteEvent event) {
    Version written = event.written();
    return written != null && written.isSameWriteAs(held.version());
  }

  /**
   * What is found where it was accepted first may have been found elsewhere as well. A copy is told
   * as one: where it came from may have superseded it long ago, which never came here.
   */
  private Source found(Holding held) {
    Integer origin = held.version().origin();
    return origin == null || origin == store.node() ? Source.UNKNOWN : new Source("", origin);
  }

  private void close(OpenInterval interval, WriteEvent event) {
    Version written = event.written();
    Version endedBy = written == null ? null : written.beginning(VALUE_KEPT_MAX);
    close(interval, event.before(), endedBy, event.writer(), event.origin());
  }

  private void close(
      OpenInterval interval,
      Hvc at,
      @Nullable Version endedBy,
      String writer,
      @Nullable Integer origin) {
    // An end that was never told to begin is told as well: it may end another replica's interval.
    untold.remove(interval);
    boolean allTold = tellLate();
    long sequence = ++sequences[interval.partition()];
    Closed end = new Closed(epoch, sequence, interval, at, endedBy, writer, origin);
    if (!untold.tell(end, allTold)) {
      keepLate(end);
    }
    closedCount.increment();
  }

  private void open(StoreKey key, Holding held, List<Holding> holding, Hvc start, Source source) {
    String instance = OpenInterval.instanceOf(held);
    int partition = partitionOf.applyAsInt(instance);
    boolean allTold = tellLate();
    long sequence = ++sequences[partition];
    if (open.isFull(untold.ends())) {
      complete = false;
      unopened = true;
      ring.lost(Gap.ofOne(epoch, partition, sequence, start.own()));
      return;
    }
    OpenInterval interval =
        new OpenInterval(
            key, held.beginning(VALUE_KEPT_MAX), instance, partition, sequence, start, source);
    open.add(interval);
    if (!untold.tell(new Opened(epoch, interval, versions(held, holding)), allTold)) {
      untold.add(interval);
    }
    openedCount.increment();
  }

  private static List<Version> versions(Holding held, List<Holding> holding) {
    List<Version> versions = new ArrayList<>(1);
    versions.add(held.beginning(VALUE_TOLD_MAX).version());
    for (Holding other : holding) {
      if (versions.size() > SIBLINGS_TOLD_MAX) {
        break;
      }
      if (other.isSameTermAs(held) && !other.version().equals(held.version())) {
        versions.add(other.version().beginning(VALUE_TOLD_MAX));
      }
    }
    return versions;
  }

  /**
   * While paused, only what was open can hold, and what the store changed by itself. Null when that
   * is not known, and the store has to be asked.
   */
  private @Nullable Collection<StoreKey> keysThatMayHold() {
    Set<StoreKey> keys = new LinkedHashSet<>(changed);
    boolean[] known = {unscanned.isEmpty() && !resetUnfinished && !anyChanged};
    store.atomically(
        () -> {
          known[0] &= complete;
          keys.addAll(open.keys());
        });
    return known[0] ? keys : null;
  }

  private Found scanFor(TermIndex terms) {
    return KeyScan.of(store, terms, truth, open.intervalsMax());
  }

  private void openThose(Found found, TermIndex terms) {
    // Of most keys no term speaks, and they need not be read.
    List<StoreKey> keys = found.keys().stream().filter(key -> !terms.match(key).isEmpty()).toList();
    boolean drains = true;
    for (int from = 0; from < keys.size(); from += KEYS_PER_STEP) {
      List<StoreKey> step = keys.subList(from, Math.min(from + KEYS_PER_STEP, keys.size()));
      // A ring that did not drain for so long will not for the next step either.
      drains = drains && awaitRoom(step.size());
      store.atomically(() -> openFound(step, terms));
    }
    if (!found.all() || !found.allStates()) {
      store.ordered(
          () -> {
            // States are not looked for again: there would be as many.
            complete &= found.all();
            unopened |= !found.all();
            if (watching) {
              loseOneOfEachPartition(store.clock().tick().own());
            }
          });
    }
  }

  private void openFound(List<StoreKey> keys, TermIndex terms) {
    if (!watching) {
      return;
    }
    if (store.restoredEpoch() > epoch) {
      // What is found is not of this epoch: it was taken back, and the next one begins with it.
      complete = false;
      return;
    }
    Hvc start = overSince == null ? store.clock().tick() : overSince;
    requirePromised(start);
    for (StoreKey key : keys) {
      List<Match> matches = terms.match(key);
      List<Version> siblings = store.siblings(key);
      List<Holding> holding = truth.of(matches, siblings);
      for (Holding held : holding) {
        if (!open.contains(key, held)) {
          open(key, held, holding, start, found(held));
        }
      }
      tellStates(key, matches, siblings, start, Source.UNKNOWN);
    }
  }

  /** That it is open since then also says that all before is told. */
  private void requirePromised(Hvc start) {
    if (!store.promises(start.own())) {
      throw new IllegalStateException(
          "what holds cannot be told while the node cannot promise its clock: "
              + Hlc.format(start.own()));
    }
  }

  /** The state may hold more than the ring: unlike a writer, this thread can let it drain. */
  private boolean awaitRoom(int emissions) {
    try {
      return ring.awaitRoom(emissions, ROOM_WAIT_SECONDS, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      // The node is closing: what does not fit becomes a gap.
      Thread.currentThread().interrupt();
      return false;
    }
  }

  private void loseOneOfEachPartition(long hlc) {
    loseOneOfEachPartition(hlc, hlc);
  }

  private void loseOneOfEachPartition(long fromHlc, long toHlc) {
    for (int partition = 0; partition < sequences.length; partition++) {
      long sequence = ++sequences[partition];
      ring.lost(new Gap(epoch, partition, sequence, sequence, fromHlc, toHlc));
    }
  }

  private boolean isScanned(ActivePredicate predicate) {
    return isVersionIn(predicates, predicate)
        && unscanned.stream().noneMatch(predicate::isSameVersionAs);
  }

  private static boolean isVersionIn(
      Map<String, ActivePredicate> predicates, ActivePredicate predicate) {
    ActivePredicate known = predicates.get(predicate.name());
    return known != null && known.isSameVersionAs(predicate);
  }

  private static boolean isVersionIn(Map<String, ActivePredicate> predicates, WatchedTerm term) {
    ActivePredicate known = predicates.get(term.predicate());
    return known != null && term.isOf(known);
  }

  public int predicates() {
    return predicates.size();
  }

  public int openIntervals() {
    return open.size();
  }

  public long openedCount() {
    return openedCount.sum();
  }

  public long closedCount() {
    return closedCount.sum();
  }

  /** Texts that active terms called no match because it would have taken too long to tell. */
  public long matchesGivenUp() {
    long sum = 0;
    for (ActivePredicate active : predicates.values()) {
      for (Clause clause : active.predicate().violation()) {
        for (Term term : clause.terms()) {
          sum += term.gaveUp();
        }
      }
    }
    return sum;
  }

  /** Values, and captures, that are no text or no decimal where a term needed one. */
  public long valuesRefused() {
    return truth.valuesRefused();
  }

  /** Bugs that {@link #written} kept from the store. */
  public long failures() {
    return failures.count();
  }

  public @Nullable Throwable firstFailure() {
    return failures.first();
  }
}
