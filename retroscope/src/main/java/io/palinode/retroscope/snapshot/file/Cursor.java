package io.palinode.retroscope.snapshot.file;

import io.palinode.retroscope.snapshot.History;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Goes through the entries of one store, a page at a time. */
public final class Cursor {
  private static final int PAGE_BYTES = 256 << 10;

  /** Entries in order; see {@link History#page}. */
  @FunctionalInterface
  public interface Pages {
    List<Entry> page(byte @Nullable [] after, int bytesMax);
  }

  private final Pages pages;
  private List<Entry> page;
  private int next;

  public Cursor(Pages pages, byte @Nullable [] after) {
    this.pages = pages;
    this.page = pages.page(after, PAGE_BYTES);
  }

  /** Through one page. */
  public Cursor(List<Entry> page) {
    this.pages = (after, max) -> List.of();
    this.page = page;
  }

  /** The entry that it stands at; null behind the last. */
  public @Nullable Entry current() {
    return page.isEmpty() ? null : page.get(next);
  }

  public void advance() {
    next++;
    if (next >= page.size() && !page.isEmpty()) {
      page = pages.page(page.get(page.size() - 1).key(), PAGE_BYTES);
      next = 0;
    }
  }
}
