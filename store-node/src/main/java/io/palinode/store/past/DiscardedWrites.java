package io.palinode.store.past;

import io.palinode.detector.binding.Version;
import io.palinode.store.engine.KeyBytes;
import io.palinode.store.engine.StorageEngine;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The changes that a rollback discarded, from the window-log. The log contains the undo too: each
 * entry has the value that the change before it gave the key. For one thread, once.
 */
public final class DiscardedWrites {
  /** Changes read for one page. */
  static final int PAGE_MAX = 10_000;

  private final LocalStore store;
  private final StorageEngine engine;
  private final Writers writers;
  private final List<PastChange> writes = new ArrayList<>();
  // By key: its latest change of the page, until its next change is found.
  private final Map<KeyBytes, Integer> open = new HashMap<>();
  private final Map<KeyBytes, List<Version>> settled = new HashMap<>();
  private final Map<KeyBytes, Progress> progress = new HashMap<>();
  private long seen;

  /** A key's changes in the range, as far as they were read. */
  private static final class Progress {
    private int changes;

    /**
     * The number of changes that stand: after them the key equals its state after the rollback. -1:
     * unknown.
     */
    private int standing = -1;

    /** Whether later changes are those of the rollback, or after it. */
    private boolean ended;
  }

  DiscardedWrites(LocalStore store, StorageEngine engine, Writers writers) {
    this.store = store;
    this.engine = engine;
    this.writers = writers;
  }

  /**
   * The range of a query.
   *
   * @param from changes after this HLC
   * @param to up to this one
   * @param settled when the rollback had ended; a discarded change is absent then
   */
  public record Range(long from, long to, long settled) {
    public Range {
      if (from > to || to > settled) {
        throw new IllegalArgumentException(
            "times must be in order: from=%d to=%d settled=%d".formatted(from, to, settled));
      }
    }
  }

  /** Writes in HLC order; {@code end} is the start of the next page, null after the last page. */
  public record Page(List<PastChange> writes, @Nullable Long end) {}

  /** One page. Skips {@code behind} changes. O(changes since {@code range.from()}). */
  Page page(Range range, long behind) {
    long end = behind + PAGE_MAX;
    store
        .past()
        .forEachBetween(
            range.settled(),
            Long.MAX_VALUE,
            (hlc, key, old) ->
                settled.computeIfAbsent(new KeyBytes(key), of -> store.versions(old)));
    List<Integer> numbers = new ArrayList<>();
    store
        .past()
        .forEachBetween(
            range.from(),
            Long.MAX_VALUE,
            (hlc, key, old) -> {
              KeyBytes of = new KeyBytes(key);
              List<Version> found = store.versions(old);
              close(of, found);
              int number = came(of, found, hlc <= range.to());
              if (hlc <= range.to() && seen++ >= behind && seen <= end) {
                open.put(of, writes.size());
                writes.add(new PastChange(key, hlc, found, List.of(), writers.of(hlc)));
                numbers.add(number);
              }
            });
    for (KeyBytes key : List.copyOf(open.keySet())) {
      List<Version> after = present(key);
      int unused = came(key, after, false);
      close(key, after);
    }
    List<PastChange> gone =
        IntStream.range(0, writes.size())
            .filter(i -> !stands(writes.get(i), numbers.get(i)) && isGone(writes.get(i)))
            .mapToObj(writes::get)
            .toList();
    return new Page(gone, seen > end ? end : null);
  }

  /**
   * A change found the value {@code found}. Returns the number of the key's changes in the range.
   */
  private int came(KeyBytes key, List<Version> found, boolean isInRange) {
    Progress of = progress.get(key);
    if (of == null && !isInRange) {
      return 0;
    }
    of = of == null ? new Progress() : of;
    progress.putIfAbsent(key, of);
    if (!of.ended && of.standing < 0 && Set.copyOf(found).equals(Set.copyOf(then(key)))) {
      of.standing = of.changes;
    }
    of.ended |= !isInRange;
    return isInRange ? ++of.changes : of.changes;
  }

  /** A rollback of scope {@code affected} may keep the first writes of a key. */
  private boolean stands(PastChange write, int number) {
    Progress of = progress.get(new KeyBytes(write.key()));
    return of != null && of.standing >= number;
  }

  private List<Version> then(KeyBytes key) {
    return settled.computeIfAbsent(key, this::present);
  }

  private void close(KeyBytes key, List<Version> after) {
    Integer at = open.remove(key);
    if (at != null) {
      writes.set(at, writes.get(at).with(after));
    }
  }

  /**
   * False if the rollback kept the change, because another replica had accepted it before the cut.
   */
  private boolean isGone(PastChange write) {
    KeyBytes key = new KeyBytes(write.key());
    List<Version> then = then(key);
    List<Version> added =
        write.after().stream().filter(version -> !write.before().contains(version)).toList();
    return added.isEmpty()
        ? write.before().stream().anyMatch(then::contains)
        : added.stream().noneMatch(then::contains);
  }

  private List<Version> present(KeyBytes key) {
    return store.versions(engine.get(store.name(), key.bytes()));
  }
}
