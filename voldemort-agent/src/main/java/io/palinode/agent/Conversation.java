package io.palinode.agent;

import io.palinode.hvc.Hvc;
import io.palinode.voldemort.Caller;
import io.palinode.voldemort.RefusedException;
import org.jspecify.annotations.Nullable;

/**
 * What a thread of the server is in the middle of: who asks, what came of it, and the methods that
 * are under way.
 */
final class Conversation {
  private Caller caller = Caller.STOCK;
  private boolean ours;
  private boolean admitted;
  private @Nullable Hvc written;
  private @Nullable RefusedException refused;
  private @Nullable RefusedException unknown;
  private @Nullable EngineWrite write;
  private boolean hasStripe;
  private boolean pushes;
  // The newest; the next one is known by it, so that nothing is allocated for who is in the node.
  private @Nullable EngineWrite locked;

  /** A request of a client of ours begins. */
  void begin(Caller asks) {
    end();
    caller = asks;
    ours = true;
  }

  /**
   * A request begins of which nobody can tell who asks, or what it has seen: it must not be done.
   */
  void beginUnknown(RefusedException why) {
    begin(Caller.STOCK);
    unknown = why;
    refused = why;
  }

  /** Throws unless it is known who asks. What is refused for another reason may be asked again. */
  void requireKnown() throws RefusedException {
    if (unknown != null) {
      throw unknown;
    }
  }

  void end() {
    caller = Caller.STOCK;
    ours = false;
    admitted = false;
    written = null;
    refused = null;
    unknown = null;
  }

  Caller caller() {
    return caller;
  }

  /** Whether an answer is to tell of clocks. */
  boolean isOurs() {
    return ours;
  }

  /** An engine has admitted the request: it is of the node's epoch, or names none. */
  void admitted() {
    admitted = true;
  }

  boolean isAdmitted() {
    return admitted;
  }

  void wrote(@Nullable Hvc at) {
    written = at == null ? written : at;
  }

  @Nullable Hvc written() {
    return written;
  }

  void refuse(RefusedException why) {
    refused = why;
  }

  @Nullable RefusedException refused() {
    return refused;
  }

  /** The write whose records are read and written now. */
  @Nullable EngineWrite write() {
    return write;
  }

  void write(@Nullable EngineWrite now) {
    write = now;
  }

  /** Whether this thread keeps others from writing some key. */
  boolean hasStripe() {
    return hasStripe;
  }

  void hasStripe(boolean now) {
    hasStripe = now;
  }

  /** Whether this thread is in the middle of delivering hints. */
  boolean pushes() {
    return pushes;
  }

  void pushes(boolean now) {
    pushes = now;
  }

  void locked(EngineWrite by) {
    by.lockedBefore(locked);
    locked = by;
  }

  /** The write that got {@code handle}, which it has no more; null: it was not heard. */
  @Nullable EngineWrite unlocked(@Nullable Object handle) {
    EngineWrite later = null;
    for (EngineWrite each = locked; each != null; each = each.lockedBefore()) {
      if (each.hasHandle(handle)) {
        if (later == null) {
          locked = each.lockedBefore();
        } else {
          later.lockedBefore(each.lockedBefore());
        }
        return each;
      }
      later = each;
    }
    return null;
  }
}
