package io.palinode.simulation.exhaustive;

import io.palinode.voldemort.client.session.EpochView;
import io.palinode.voldemort.client.session.RolledBack;
import io.palinode.voldemort.client.session.SequentialKeys;
import io.palinode.voldemort.protocol.Pb0.ResponseContext;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A client that writes twice, one after the other, first to node 0, then the same to the others.
 * What it knows of epochs is production's view. It can be copied.
 */
final class SmallClient {
  static final int STEPS = 2;

  /** The write that violates the predicate. */
  static final int BAD_STEP = 1;

  /**
   * @param step which of its writes; {@link #PROBE} for a question whether a rollback is over
   * @param copy whether another node has accepted it before
   */
  record Request(int step, long epoch, int key, int version, long hlc, boolean copy) {}

  record Answer(Request request, long acceptedAt, ResponseContext context) {}

  /** A write that it counts on. */
  record Acknowledged(int key, int version, long acceptedAt, long epoch) {}

  static final int PROBE = -1;

  private EpochView view;
  private int step;
  private boolean waiting;
  private int probeNode;
  private long hlc;
  private final List<Acknowledged> acknowledged;

  SmallClient() {
    this.view = new EpochView(0, null, List.of(), SequentialKeys.NONE, 0);
    this.acknowledged = new ArrayList<>();
  }

  private SmallClient(SmallClient same) {
    this.view = same.view;
    this.step = same.step;
    this.waiting = same.waiting;
    this.probeNode = same.probeNode;
    this.hlc = same.hlc;
    this.acknowledged = new ArrayList<>(same.acknowledged);
  }

  SmallClient copy() {
    return new SmallClient(this);
  }

  boolean isDone() {
    return step == STEPS && view.doubt() == null;
  }

  long epoch() {
    return view.epoch();
  }

  /** Whether what it sends next asks whether a rollback is over. */
  boolean isProbing() {
    return !waiting && view.doubt() != null;
  }

  boolean maySend() {
    return !waiting && !isDone();
  }

  List<Acknowledged> acknowledged() {
    return acknowledged;
  }

  /** What it sends next: the present write, or a question while a rollback is under way. */
  Request send() {
    waiting = true;
    if (view.doubt() != null || step == STEPS) {
      return new Request(PROBE, view.epoch(), 0, 0, hlc, false);
    }
    // Later versions of a key are greater, also after a rollback.
    int version = (int) view.epoch() * STEPS + step + 1;
    return new Request(step, view.epoch(), step % 2, version, hlc, false);
  }

  /** The node that {@link #send} goes to. */
  int node(int nodes) {
    if (view.doubt() == null) {
      return 0;
    }
    probeNode = (probeNode + 1) % nodes;
    return probeNode;
  }

  /** The copy that follows an answer, or null. Throws nothing. */
  @Nullable Request received(Answer answer) {
    hlc = Math.max(hlc, answer.acceptedAt());
    EpochView before = view;
    view = view.observed(answer.context(), 0);
    if (view.epoch() != before.epoch()) {
      RolledBack back = view.rolledBackSince(before.epoch());
      acknowledged.removeIf(write -> write.acceptedAt() > back.target());
    }
    Request request = answer.request();
    if (request.copy()) {
      // While the node is paused before this very epoch, it is sent again.
      boolean isEarly = answer.context().hasFence() && view.isCurrent(request.epoch());
      return isEarly ? request : null;
    }
    waiting = false;
    boolean counts =
        request.step() == step && !answer.context().hasFence() && view.isCurrent(request.epoch());
    if (!counts) {
      return null;
    }
    step++;
    if (answer.acceptedAt() > 0) {
      acknowledged.add(
          new Acknowledged(request.key(), request.version(), answer.acceptedAt(), request.epoch()));
    }
    return new Request(
        request.step(), request.epoch(), request.key(), request.version(), hlc, true);
  }

  /** The connection is gone, and with it the answer that it waits for. */
  void lost(Request request) {
    waiting &= request.copy();
  }

  void addTo(Fingerprint print, Fingerprint.Values values) {
    print.add(values.number(view), step * 2L + (waiting ? 1 : 0), probeNode, hlc);
    for (Acknowledged write : acknowledged) {
      print.add(values.number(write));
    }
  }
}
