package io.palinode.voldemort;

import io.palinode.voldemort.protocol.Versioned;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The changes that an undo took back, from the window-log, in which the undo is too: the value that
 * a change gave a key is what the key's next change found. For one thread, once.
 */
public final class DiscardedWrites {
  /** Changes looked at for a page. */
  static final int PAGE_MAX = 10_000;

  private final LocalStore store;
  private final StorageEngine engine;
  private final Writers writers;
  private final List<Write> writes = new ArrayList<>();
  // By key: its latest change of the page, until its next one is found.
  private final Map<KeyBytes, Integer> open = new HashMap<>();
  private final Map<KeyBytes, List<Versioned>> settled = new HashMap<>();
  private final Map<KeyBytes, Progress> progress = new HashMap<>();
  private long seen;

  /** A key's changes in the range, as far as they were seen. */
  private static final class Progress {
    private int changes;

    /** After so many changes it was as when the rollback was over: these stand. -1: not known. */
    private int standing = -1;

    /** What comes later is the rollback's doing, or after it. */
    private boolean ended;
  }

  DiscardedWrites(LocalStore store, StorageEngine engine, Writers writers) {
    this.store = store;
    this.engine = engine;
    this.writers = writers;
  }

  /**
   * What is asked for.
   *
   * @param from changes after this HLC
   * @param to up to this one
   * @param settled of which nothing was there at this time, when the rollback was over
   */
  public record Range(long from, long to, long settled) {
    public Range {
      if (from > to || to > settled) {
        throw new IllegalArgumentException(
            "times must be in order: from=%d to=%d settled=%d".formatted(from, to, settled));
      }
    }
  }

  /** A change; no versions: the key was absent. {@code client} is empty when it is not known. */
  public record Write(
      byte[] key, long hlc, List<Versioned> before, List<Versioned> after, String client) {
    private Write with(List<Versioned> newAfter) {
      return new Write(key, hlc, before, newAfter, client);
    }
  }

  /** In the order of time; {@code end} is where the next page begins, null when that is all. */
  public record Page(List<Write> writes, @Nullable Long end) {}

  /** O(changes since {@code range.from()}); {@code behind} of them are passed over. */
  Page page(Range range, long behind) {
    long end = behind + PAGE_MAX;
    store
        .past()
        .forEachBetween(
            range.settled(),
            Long.MAX_VALUE,
            (hlc, key, old) ->
                settled.computeIfAbsent(new KeyBytes(key), of -> LocalStore.versions(old)));
    List<Integer> numbers = new ArrayList<>();
    store
        .past()
        .forEachBetween(
            range.from(),
            Long.MAX_VALUE,
            (hlc, key, old) -> {
              KeyBytes of = new KeyBytes(key);
              List<Versioned> found = LocalStore.versions(old);
              close(of, found);
              int number = came(of, found, hlc <= range.to());
              if (hlc <= range.to() && seen++ >= behind && seen <= end) {
                open.put(of, writes.size());
                writes.add(new Write(key, hlc, found, List.of(), writers.of(hlc)));
                numbers.add(number);
              }
            });
    for (KeyBytes key : List.copyOf(open.keySet())) {
      List<Versioned> after = present(key);
      int unused = came(key, after, false);
      close(key, after);
    }
    List<Write> gone =
        IntStream.range(0, writes.size())
            .filter(i -> !stands(writes.get(i), numbers.get(i)) && isGone(writes.get(i)))
            .mapToObj(writes::get)
            .toList();
    return new Page(gone, seen > end ? end : null);
  }

  /** The key was {@code found} until now. Which change of the range this is, if it is one. */
  private int came(KeyBytes key, List<Versioned> found, boolean isInRange) {
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

  /** A rollback that undid only some may leave the first of a key's writes. */
  private boolean stands(Write write, int number) {
    Progress of = progress.get(new KeyBytes(write.key()));
    return of != null && of.standing >= number;
  }

  private List<Versioned> then(KeyBytes key) {
    return settled.computeIfAbsent(key, this::present);
  }

  private void close(KeyBytes key, List<Versioned> after) {
    Integer at = open.remove(key);
    if (at != null) {
      writes.set(at, writes.get(at).with(after));
    }
  }

  /** What another replica had accepted before the cut was completed here: it is not lost. */
  private boolean isGone(Write write) {
    KeyBytes key = new KeyBytes(write.key());
    List<Versioned> then = then(key);
    List<Versioned> added =
        write.after().stream().filter(version -> !write.before().contains(version)).toList();
    return added.isEmpty()
        ? write.before().stream().anyMatch(then::contains)
        : added.stream().noneMatch(then::contains);
  }

  private List<Versioned> present(KeyBytes key) {
    return LocalStore.versions(engine.get(store.name(), key.bytes()));
  }
}
