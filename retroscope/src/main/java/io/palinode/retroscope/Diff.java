package io.palinode.retroscope;

import io.palinode.retroscope.segment.Cursor;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The keys that changed in an interval, each once, with its value at one end of it. A view of the
 * log's bytes: values are copied only when visited.
 *
 * <p>What it refers to stays in memory, also when the log drops it, until the difference is closed
 * or forgotten. To close it lets the log use that memory again. Thread-safe; visits and {@link
 * #close} wait for each other.
 */
public final class Diff implements AutoCloseable {
  private final Changes changes;
  private final List<Known> others;
  private final long entries;
  private final Runnable unpin;
  private boolean closed;

  /** A key whose value the log does not have. */
  record Known(byte[] key, byte @Nullable [] value) {}

  Diff(Changes changes, List<Known> others, long entries, Runnable unpin) {
    this.changes = changes;
    this.others = others;
    this.entries = entries;
    this.unpin = unpin;
  }

  /** How many keys changed. */
  public int size() {
    return changes.size() + others.size();
  }

  /** All changes up to here are in it: less than was asked for, maybe, in a step of a walk. */
  long end() {
    return changes.end();
  }

  /** How many changes were read, shadowed ones included. */
  public long entries() {
    return entries;
  }

  /** Throws {@link IllegalStateException} when the difference was closed. */
  public synchronized void forEach(Visitor visitor) {
    requireOpen();
    Cursor entry = new Cursor();
    for (int i = 0; i < changes.size(); i++) {
      changes.moveTo(i, entry);
      visitor.visit(entry.copyKey(), entry.copyOld());
    }
    others.forEach(each -> visitor.visit(each.key(), each.value()));
  }

  /** As {@link #forEach}, and copies no values. */
  public synchronized void forEachKey(Consumer<byte[]> visitor) {
    requireOpen();
    Cursor entry = new Cursor();
    for (int i = 0; i < changes.size(); i++) {
      changes.moveTo(i, entry);
      visitor.accept(entry.copyKey());
    }
    others.forEach(each -> visitor.accept(each.key()));
  }

  private void requireOpen() {
    if (closed) {
      throw new IllegalStateException("the difference is closed");
    }
  }

  /** Lets go of the log's memory. */
  @Override
  public synchronized void close() {
    if (!closed) {
      closed = true;
      unpin.run();
    }
  }

  /** Sees each changed key once. */
  @FunctionalInterface
  public interface Visitor {
    /** {@code value} is null when the key was absent. */
    void visit(byte[] key, byte @Nullable [] value);
  }
}
