package io.palinode.simulation.exhaustive;

import io.palinode.detector.LocalDetector;
import io.palinode.detector.binding.ControlLog;
import io.palinode.detector.ring.CandidateRing;
import io.palinode.store.control.Command;
import io.palinode.store.control.ControlExecution;
import io.palinode.store.control.ControlState;
import io.palinode.store.control.NodeControl;
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

  private ControlState control;

  /** The state with which the node's next incarnation begins. */
  private ControlState next;

  SmallNode(int node, int nodes, int keys) {
    this.store = new SmallStore(node, nodes, keys);
    this.due = new ArrayDeque<>();
    this.control = NodeControl.initial(node, nodes, store.incarnation());
    this.next = control;
  }

  private SmallNode(SmallNode same) {
    this.store = same.store.copy();
    this.due = same.due.clone();
    this.up = same.up;
    this.open = same.open;
    this.position = same.position;
    this.control = same.control;
    this.next = same.next;
  }

  SmallNode copy() {
    return new SmallNode(this);
  }

  /** Reads the log as it is, and has duties then. */
  void start(List<ControlRecord> log) {
    control = next;
    position = log.size();
    up = true;
    take(NodeControl.caughtUp(control));
    open = due.isEmpty();
  }

  /** Adds a record of the log, to be read by this or a later incarnation. */
  void appended(ControlRecord record) {
    next = NodeControl.step(next, record).next();
  }

  /**
   * Reads up to the next duty. Records before it have no visible effect, and the duty does not
   * depend on later records, so they are read at once.
   */
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
    // Serving changes nothing at any node: its places in the log would only multiply the states.
    ControlLog log = records -> into.append(withoutServing(records));
    command.execute(new ControlExecution(store, detector, log, () -> 0, () -> {}));
    if (command instanceof Command.Watch watch) {
      store.passed(watch.clock());
    }
    open |= due.isEmpty();
  }

  private static List<ControlRecord> withoutServing(List<ControlRecord> records) {
    return records.stream().filter(record -> !record.hasServing()).toList();
  }

  void die(List<ControlRecord> log) {
    store.startAgain();
    next = NodeControl.initial(store.node(), store.nodes(), store.incarnation());
    log.forEach(this::appended);
    due.clear();
    up = false;
    open = false;
  }

  /**
   * @param mayDie whether it may crash and restart
   */
  void addTo(Fingerprint print, Fingerprint.Values values, boolean mayDie) {
    store.addTo(print);
    print.add((up ? 2 : 0) + (open ? 1 : 0), up ? values.number(control) : -1);
    due.forEach(command -> print.add(values.number(command)));
    print.add(due.size(), mayDie || !up ? values.number(next) : -1);
  }
}
