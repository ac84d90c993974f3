package io.palinode.simulation.exhaustive;

import io.palinode.detector.CandidateRing;
import io.palinode.detector.Command;
import io.palinode.detector.ControlExecution;
import io.palinode.detector.ControlLog;
import io.palinode.detector.ControlState;
import io.palinode.detector.LocalDetector;
import io.palinode.detector.NodeControl;
import io.palinode.wire.v1.ControlRecord;
import java.util.ArrayDeque;
import java.util.List;
import java.util.function.UnaryOperator;

/** A node: a small store, and production's side of control over it. It can be copied. */
final class SmallNode {
  final SmallStore store;
  final ArrayDeque<Command> due;

  /** Whether its process runs, and whether it takes requests. */
  boolean up;

  boolean open;

  /** How much of the log it has read, and had when it began to act. */
  int position;

  private int actsFrom;
  private ControlState control;

  SmallNode(int node, int nodes, int keys) {
    this.store = new SmallStore(node, nodes, keys);
    this.due = new ArrayDeque<>();
    this.control = NodeControl.initial(node, nodes, store.incarnation());
  }

  private SmallNode(SmallNode same) {
    this.store = same.store.copy();
    this.due = same.due.clone();
    this.up = same.up;
    this.open = same.open;
    this.position = same.position;
    this.actsFrom = same.actsFrom;
    this.control = same.control;
  }

  SmallNode copy() {
    return new SmallNode(this);
  }

  /** Reads the log as it is, and has duties then. */
  void start(List<ControlRecord> log) {
    control = NodeControl.initial(store.node(), store.nodes(), store.incarnation());
    for (ControlRecord record : log) {
      control = NodeControl.step(control, record).next();
    }
    position = log.size();
    actsFrom = position;
    up = true;
    take(NodeControl.caughtUp(control));
    open = due.isEmpty();
  }

  /** Reads on until there is something to do: what comes before nobody sees. */
  void read(List<ControlRecord> log) {
    while (due.isEmpty() && position < log.size()) {
      take(NodeControl.step(control, log.get(position++)));
    }
  }

  private void take(NodeControl.Step step) {
    control = step.next();
    due.addAll(step.commands());
  }

  /** Does what is due first; what it says goes into {@code into}. */
  void work(ControlLog into, UnaryOperator<Command> wiring) {
    Command command = wiring.apply(due.remove());
    CandidateRing ring = new CandidateRing(2, 1);
    LocalDetector detector = new LocalDetector(store, ring, instance -> 0, 1);
    command.execute(new ControlExecution(store, detector, into, () -> 0, () -> {}));
    if (command instanceof Command.Watch watch) {
      store.passed(watch.clock());
    }
    open |= due.isEmpty();
  }

  void die() {
    store.startAgain();
    due.clear();
    up = false;
    open = false;
  }

  void addTo(Fingerprint print) {
    store.addTo(print);
    print.add((up ? 2 : 0) + (open ? 1 : 0), up ? position : -1, up ? actsFrom : -1);
    // What is due follows from what was read, but for how much of it is done.
    print.add(due.size());
  }
}
