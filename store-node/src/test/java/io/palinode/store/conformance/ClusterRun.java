package io.palinode.store.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import io.palinode.detector.binding.StoreKey;
import io.palinode.detector.binding.Version;
import io.palinode.store.binding.UndoLog.KeyRecord;
import io.palinode.store.binding.UndoLog.Replica;
import io.palinode.store.binding.UndoLog.Restoration;
import io.palinode.store.conformance.NodeModel.Deleted;
import io.palinode.store.conformance.NodeModel.State;
import io.palinode.store.control.Agreement;
import io.palinode.store.engine.KeyBytes;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;

/** One random history of two replicas, and plans on it. */
final class ClusterRun implements AutoCloseable {
  private static final int NODES = 2;
  private static final int KEYS = 4;
  private static final long EPOCH_MICROS = 1_700_000_000_000_000L;

  private final KitStore store;
  private final Random random;
  private final KitFigures figures;
  private final AtomicLong micros = new AtomicLong(EPOCH_MICROS);
  private final List<Member> members = new ArrayList<>();
  private final List<Copy> late = new ArrayList<>();
  private final List<Span> plans = new ArrayList<>();
  private long pausedAt;
  private int attempt;

  /** From the first pause of a plan to its end: no plan goes to a time in it. */
  private record Span(long from, long to) {
    boolean contains(long time) {
      return from < time && time < to;
    }
  }

  /** A write that has not reached its replica. */
  private record Copy(Member to, KitWrite write) {}

  ClusterRun(KitStore store, Random random, KitFigures figures) {
    this.store = store;
    this.random = random;
    this.figures = figures;
    for (int node = 0; node < NODES; node++) {
      members.add(new Member(store, node, NODES, micros, figures));
    }
    figures.histories++;
  }

  /** A member, to break it. */
  Member member(int number) {
    return members.get(number);
  }

  void work(int steps) {
    for (int i = 0; i < steps; i++) {
      // Now and then seconds without a write.
      micros.addAndGet(random.nextInt(20) == 0 ? 700_000 : 1 + random.nextInt(3));
      if (!late.isEmpty() && random.nextInt(3) == 0) {
        Copy copy = late.remove(random.nextInt(late.size()));
        copy.to().write(copy.write());
        figures.copies++;
      } else {
        write();
      }
    }
  }

  private void write() {
    StoreKey key = store.key(random.nextInt(KEYS));
    List<Version> found = members.get(random.nextInt(NODES)).binding().siblings(key);
    Member first = members.get(random.nextInt(NODES));
    KitWrite write = store.write(key, found, first.number(), random);
    first.write(write);
    figures.writes++;
    figures.deletes += write.mark() == null ? 0 : 1;
    for (Member other : members) {
      if (other == first) {
        continue;
      }
      if (random.nextInt(3) > 0) {
        other.write(write);
        figures.copies++;
      } else {
        late.add(new Copy(other, write));
      }
    }
  }

  /** A plan with an attempt to each cut that a node had, in any order. */
  void rollBackToEveryCut(long epoch) {
    long target = pause(epoch);
    List<Long> targets = readable();
    Collections.shuffle(targets, random);
    for (long each : targets) {
      target = each;
      restoreAndConverge(target);
    }
    resume(target);
  }

  /** A plan to any cut. Returns the cut right before it. */
  long rollBack(long epoch) {
    long quiet = pause(epoch);
    List<Long> targets = readable();
    long target = targets.get(random.nextInt(targets.size()));
    rollBackTo(target);
    return quiet;
  }

  /** A plan to this cut. */
  void rollBack(long epoch, long target) {
    long unused = pause(epoch);
    rollBackTo(target);
  }

  /** The same, or to any cut in reach if crashes have put this one out of it. */
  void rollBackIfInReach(long epoch, long target) {
    if (hasLostPast()) {
      long unused = rollBack(epoch);
    } else {
      rollBack(epoch, target);
    }
  }

  private void rollBackTo(long target) {
    boolean isDone = restoreAndConverge(target);
    if (!isDone || hasLostPast()) {
      // The nodes can no longer name what differs.
      convergeAll(target);
    }
    resume(target);
  }

  /** A plan that changes nothing but makes the replicas equal. */
  void converge(long epoch) {
    long quiet = pause(epoch);
    convergeAll(quiet);
    resume(quiet);
  }

  private long pause(long epoch) {
    attempt = 0;
    late.clear();
    long quiet = 0;
    pausedAt = Long.MAX_VALUE;
    for (Member member : members) {
      long paused = member.pause(epoch);
      quiet = Math.max(quiet, paused);
      pausedAt = Math.min(pausedAt, paused);
    }
    micros.addAndGet(random.nextInt(1_000));
    for (Member member : members) {
      member.binding().pass(quiet);
    }
    return quiet;
  }

  private void resume(long target) {
    members.forEach(member -> member.resume(target));
    long ended =
        members.stream()
            .mapToLong(member -> member.binding().clock().last().own())
            .max()
            .orElseThrow();
    plans.add(new Span(pausedAt, ended));
  }

  /** All times in reach of each node that are in no plan. */
  private List<Long> readable() {
    Set<Long> times = new LinkedHashSet<>();
    for (Member member : members) {
      for (long time : member.model().times()) {
        times.add(time + Math.max(0, random.nextInt(4) - 1));
      }
    }
    plans.forEach(plan -> times.add(plan.to()));
    times.removeIf(time -> plans.stream().anyMatch(plan -> plan.contains(time)));
    times.removeIf(
        time ->
            members.stream()
                .anyMatch(
                    member -> time < member.binding().reach() || !member.model().isReadable(time)));
    return new ArrayList<>(times);
  }

  private boolean hasLostPast() {
    return members.stream().anyMatch(Member::hasLostPast);
  }

  /** An attempt to a cut. False if a crash put it out of reach. */
  private boolean restoreAndConverge(long target) {
    attempt++;
    Map<Member, Restoration> restored = new HashMap<>();
    for (Member member : members) {
      Restoration done = member.restore(attempt, target);
      if (done == null) {
        return false;
      }
      restored.put(member, done);
    }
    compareDigests(restored, ClusterRun::record);
    Set<StoreKey> changed = new LinkedHashSet<>();
    restored.values().forEach(each -> changed.addAll(each.changed()));
    changed.retainAll(unsettled(restored));
    List<KeyRecord> contributed = new ArrayList<>();
    members.forEach(member -> contributed.addAll(member.read(List.copyOf(changed))));
    if (!hasLostPast()) {
      merge(contributed, expected(member -> member.model().at(target)));
    }
    return true;
  }

  private static Function<Member, Object> record(StoreKey key) {
    return member -> new KeyBytes(member.record(key));
  }

  /** Equal digests mean equal records, and the reverse. */
  private void compareDigests(
      Map<Member, Restoration> restored, Function<StoreKey, Function<Member, Object>> records) {
    Restoration one = Objects.requireNonNull(restored.get(members.get(0)));
    Restoration other = Objects.requireNonNull(restored.get(members.get(1)));
    for (Map.Entry<StoreKey, Replica> each : one.replicas().entrySet()) {
      Replica there = other.replicas().get(each.getKey());
      if (there == null || isNone(there) || isNone(each.getValue())) {
        continue;
      }
      Function<Member, Object> content = records.apply(each.getKey());
      boolean equal = content.apply(members.get(0)).equals(content.apply(members.get(1)));
      assertThat(each.getValue().digest() == there.digest())
          .as("digests are equal iff the records of %s are", each.getKey())
          .isEqualTo(equal);
      assertThat(there.nodes()).isEqualTo(each.getValue().nodes());
      figures.equalDigests += equal ? 1 : 0;
      figures.differentDigests += equal ? 0 : 1;
    }
  }

  private static boolean isNone(Replica replica) {
    return replica.digest() == Replica.NONE;
  }

  private List<StoreKey> unsettled(Map<Member, Restoration> restored) {
    Agreement<StoreKey> agreement = new Agreement<>();
    restored.forEach(
        (member, done) -> {
          for (StoreKey key : done.changed()) {
            Replica here = done.replicas().get(key);
            agreement.add(
                member.number(),
                key,
                here == null ? 0 : here.digest(),
                here == null ? 0 : here.nodes().size());
          }
        });
    return agreement.unsettled();
  }

  /** Makes the replicas equal as they are now, by slices of all keys. */
  private void convergeAll(long target) {
    attempt++;
    Map<Member, Restoration> kept = new HashMap<>();
    members.forEach(member -> kept.put(member, member.keepAll(attempt)));
    compareDigests(kept, slice -> member -> records(member, slice, target));
    List<StoreKey> slices = unsettled(kept);
    List<KeyRecord> contributed = new ArrayList<>();
    members.forEach(
        member -> contributed.addAll(member.binding().readSlices(slices, target, true)));
    Map<StoreKey, Set<Version>> expected = expected(member -> member.model().now());
    if (hasLostPast()) {
      mergeWithin(contributed, expected);
    } else {
      merge(contributed, expected);
    }
  }

  /** The present records in a slice, by key. */
  private static Object records(Member member, StoreKey slice, long target) {
    Map<String, String> records = new TreeMap<>();
    for (KeyRecord each : member.binding().readSlices(List.of(slice), target, true)) {
      if (each.siblings().length > 0) {
        records.put(Arrays.toString(each.key().key()), Arrays.toString(each.siblings()));
      }
    }
    return records;
  }

  private void merge(List<KeyRecord> contributed, Map<StoreKey, Set<Version>> expected) {
    for (Member member : members) {
      Map<StoreKey, Set<Version>> unused = member.merge(contributed, expected);
    }
  }

  /**
   * A delete may cover nothing if the past of its versions is lost: losing a write is worse. So all
   * nodes get one result, of versions that some node had, at or after these.
   */
  private void mergeWithin(List<KeyRecord> contributed, Map<StoreKey, Set<Version>> least) {
    Map<StoreKey, Set<Version>> had = new HashMap<>();
    for (Member member : members) {
      member.state().forEach((key, some) -> had.merge(key, some, ClusterRun::union));
    }
    Map<StoreKey, Set<Version>> result = members.get(0).merge(contributed, null);
    Map<StoreKey, Set<Version>> unused = members.get(1).merge(contributed, result);
    result.forEach((key, some) -> assertThat(had.getOrDefault(key, Set.of())).containsAll(some));
    least.forEach(
        (key, some) -> {
          Set<Version> has = result.getOrDefault(key, Set.of());
          List<Version> merged = store.rules().merge(List.copyOf(has), List.copyOf(some));
          assertThat(new HashSet<>(merged)).as("no write is lost").isEqualTo(has);
        });
  }

  private static Set<Version> union(Set<Version> one, Set<Version> other) {
    Set<Version> union = new HashSet<>(one);
    union.addAll(other);
    return union;
  }

  /** The greatest of all versions on a cut, less those that a delete covered by then. */
  private Map<StoreKey, Set<Version>> expected(Function<Member, State> cut) {
    Map<StoreKey, List<Version>> merged = new HashMap<>();
    List<Deleted> deletes = new ArrayList<>();
    members.forEach(member -> deletes.addAll(cut.apply(member).deletes()));
    for (Member member : members) {
      cut.apply(member)
          .records()
          .forEach(
              (key, versions) ->
                  versions.stream()
                      .filter(version -> !isCovered(key, version, deletes))
                      .forEach(
                          version ->
                              merged.merge(
                                  key, List.of(version), (a, b) -> store.rules().merge(a, b))));
    }
    Map<StoreKey, Set<Version>> expected = new HashMap<>();
    merged.forEach((key, versions) -> expected.put(key, new HashSet<>(versions)));
    return expected;
  }

  private boolean isCovered(StoreKey key, Version version, List<Deleted> deletes) {
    return deletes.stream()
        .anyMatch(
            delete -> delete.key().equals(key) && store.rules().isCovered(version, delete.mark()));
  }

  @Override
  public void close() {
    members.forEach(Member::close);
  }
}
