package io.palinode.agent.engine;

import io.palinode.hvc.Hvc;
import io.palinode.voldemort.Caller;
import io.palinode.voldemort.RefusedException;
import org.jspecify.annotations.Nullable;

/**
 * The state of one server thread: its caller, the result of its request, and its running writes.
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
  // The newest; each write links to the one before it, so that nothing is allocated inside the
  // node.
  private @Nullable EngineWrite locked;

  /** Begins a request with a context. */
  void begin(Caller asks) {
    end();
    caller = asks;
    ours = true;
  }

  /** Begins a request with an invalid context, which must be refused. */
  void beginUnknown(RefusedException why) {
    begin(Caller.STOCK);
    unknown = why;
    refused = why;
  }

  /** Throws if the context is invalid. */
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

  /** Whether the response carries a context. */
  boolean isOurs() {
    return ours;
  }

  /** An engine has admitted the request, so its epoch is the node's, or absent. */
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

  /** Whether this thread holds the lock of a key. */
  boolean hasStripe() {
    return hasStripe;
  }

  void hasStripe(boolean now) {
    hasStripe = now;
  }

  /** Whether this thread delivers hints. */
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

  /** Removes and returns the write that locked {@code handle}; null if it was not observed. */
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
