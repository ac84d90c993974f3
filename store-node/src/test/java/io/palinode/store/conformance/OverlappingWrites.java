package io.palinode.store.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import io.palinode.detector.binding.StoreKey;
import io.palinode.detector.binding.Version;
import io.palinode.detector.binding.WriteEvent;
import io.palinode.store.binding.StoreBinding;
import io.palinode.store.past.RecordRules;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Writes of several threads to few keys. The events and the log of a key must form one chain: each
 * begins with the versions that the one before has left.
 */
final class OverlappingWrites {
  private static final int THREADS = 4;
  private static final int WRITES = 50;
  private static final int KEYS = 2;
  private static final int SECONDS_MAX = 60;

  private final KitStore store;
  private final RecordRules rules;
  private final AtomicLong micros = new AtomicLong(1_700_000_000_000_000L);
  private final KitNode node;
  private final List<WriteEvent> events = Collections.synchronizedList(new ArrayList<>());

  OverlappingWrites(KitStore store) {
    this.store = store;
    this.rules = store.rules();
    this.node = store.open(new KitSite(0, 1, micros::incrementAndGet, engine -> engine));
    node.binding().listen(events::add);
  }

  /** Returns the number of writes. */
  int check(long seed) throws InterruptedException, ExecutionException, TimeoutException {
    ExecutorService threads = Executors.newFixedThreadPool(THREADS);
    try {
      List<Future<?>> writers = new ArrayList<>();
      for (int thread = 0; thread < THREADS; thread++) {
        Random random = new Random(seed * THREADS + thread);
        writers.add(threads.submit(() -> write(random)));
      }
      for (Future<?> writer : writers) {
        writer.get(SECONDS_MAX, TimeUnit.SECONDS);
      }
    } finally {
      threads.shutdownNow();
    }
    checkStamps();
    long unused = node.binding().pause(1);
    for (int number = 0; number < KEYS; number++) {
      checkChain(store.key(number));
    }
    node.close();
    return events.size();
  }

  private void write(Random random) {
    for (int i = 0; i < WRITES; i++) {
      StoreKey key = store.key(random.nextInt(KEYS));
      node.write(store.write(key, node.binding().siblings(key), 0, random));
    }
  }

  private void checkStamps() {
    List<Long> stamps = new ArrayList<>();
    events.forEach(event -> stamps.addAll(List.of(event.before().own(), event.after().own())));
    assertThat(stamps).as("stamps in the order of events").isSorted().doesNotHaveDuplicates();
  }

  private void checkChain(StoreKey key) {
    List<Long> stamps = new ArrayList<>();
    List<Set<Version>> before = new ArrayList<>();
    StoreBinding binding = node.binding();
    boolean isWhole =
        binding.visitChanges(
            binding.reach(),
            key::equals,
            (hlc, changed, old) -> {
              stamps.add(hlc);
              before.add(new HashSet<>(old));
            });
    assertThat(isWhole).isTrue();
    List<WriteEvent> ofKey = events.stream().filter(event -> event.key().equals(key)).toList();
    assertThat(stamps)
        .as("the log has the stamps of the events")
        .isEqualTo(ofKey.stream().map(event -> event.after().own()).toList());
    Set<Version> left = Set.of();
    for (int i = 0; i < ofKey.size(); i++) {
      assertThat(before.get(i)).as("old value %d of %s", i, key).isEqualTo(left);
      left = checkLeft(left, ofKey.get(i));
    }
    assertThat(new HashSet<>(binding.siblings(key))).as("after all writes").isEqualTo(left);
  }

  private Set<Version> checkLeft(Set<Version> before, WriteEvent event) {
    Set<Version> left = new HashSet<>(event.siblings());
    @Nullable Version written = event.written();
    if (written == null) {
      assertThat(before).as("before a delete").containsAll(left);
    } else {
      List<Version> merged = rules.merge(List.copyOf(before), List.of(written));
      assertThat(left).as("after a put").isEqualTo(new HashSet<>(merged));
    }
    return left;
  }
}
