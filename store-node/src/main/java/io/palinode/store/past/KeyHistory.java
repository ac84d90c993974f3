package io.palinode.store.past;

import io.palinode.detector.binding.Version;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The changes of one key, from the window-log. Each entry of the log has the value that the change
 * before it gave the key. For one thread, once.
 */
public final class KeyHistory {
  /** Changes of one page. */
  static final int PAGE_MAX = 1_000;

  private final LocalStore store;
  private final Writers writers;
  private final byte[] key;
  private final List<PastChange> changes = new ArrayList<>();
  private boolean isOpen;

  KeyHistory(LocalStore store, Writers writers, byte[] key) {
    this.store = store;
    this.writers = writers;
    this.key = key;
  }

  /**
   * Changes in HLC order, with those of rollbacks.
   *
   * @param end the start of the next page; null after the last page
   */
  public record Page(List<PastChange> changes, @Nullable Long end) {}

  /**
   * The changes after {@code from} and up to {@code to}. O(changes of the store since {@code
   * from}).
   *
   * @param to all changes up to it were stored before {@code present} was read
   * @param present the stored record of the key, read before the call
   */
  Page page(long from, long to, byte @Nullable [] present) {
    if (from > to) {
      throw new IllegalArgumentException(
          "times must be in order: from=%d to=%d".formatted(from, to));
    }
    boolean[] isCut = {false};
    store
        .past()
        .forEachBetween(
            from,
            Long.MAX_VALUE,
            (hlc, changed, old) -> {
              if (Arrays.equals(changed, key)) {
                List<Version> found = store.versions(old);
                close(found);
                if (hlc <= to && changes.size() < PAGE_MAX) {
                  changes.add(new PastChange(key, hlc, found, List.of(), writers.of(hlc)));
                  isOpen = true;
                } else {
                  isCut[0] |= hlc <= to;
                }
              }
            });
    close(store.versions(present));
    return new Page(
        List.copyOf(changes), isCut[0] ? (Long) changes.get(changes.size() - 1).hlc() : null);
  }

  /** The last change gave the key these versions. */
  private void close(List<Version> after) {
    if (isOpen) {
      int last = changes.size() - 1;
      changes.set(last, changes.get(last).with(after));
      isOpen = false;
    }
  }
}
