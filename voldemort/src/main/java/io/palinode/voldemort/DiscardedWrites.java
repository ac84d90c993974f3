package io.palinode.voldemort;

import io.palinode.voldemort.protocol.Versioned;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
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
  private long seen;

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
            range.from(),
            Long.MAX_VALUE,
            (hlc, key, old) -> {
              KeyBytes of = new KeyBytes(key);
              List<Versioned> found = LocalStore.versions(old);
              close(of, found);
              if (hlc > range.settled()) {
                settled.putIfAbsent(of, found);
              } else if (hlc <= range.to() && seen++ >= behind && seen <= end) {
                open.put(of, writes.size());
                writes.add(new Write(key, hlc, found, List.of(), writers.of(hlc)));
              }
            });
    for (KeyBytes key : List.copyOf(open.keySet())) {
      close(key, present(key));
    }
    List<Write> gone = writes.stream().filter(this::isGone).toList();
    return new Page(gone, seen > end ? end : null);
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
    List<Versioned> then = settled.computeIfAbsent(key, this::present);
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
