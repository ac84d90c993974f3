package io.palinode.simulation.world;

import io.palinode.detection.DetectionSpec;
import io.palinode.orchestrator.state.MachineState;
import io.palinode.store.binding.StoreBinding;
import io.palinode.voldemort.client.session.SessionReads.Stale;
import io.palinode.voldemort.protocol.VectorClock;
import io.palinode.voldemort.protocol.Versioned;
import io.palinode.wire.v1.CandidateRecord;
import io.palinode.wire.v1.ControlRecord;
import java.util.List;

/**
 * Where a simulated process can be made to do wrong, so that tests see whether the checks notice.
 * Production code knows nothing of it; each default is what production does.
 */
public interface Seams {
  Seams NONE = new Seams() {};

  /** The store as the node's side of control sees it. */
  default StoreBinding store(StoreBinding real) {
    return real;
  }

  /** What an orchestrator in this state appends when it wants to append {@code record}. */
  default List<ControlRecord> append(MachineState state, ControlRecord record) {
    return List.of(record);
  }

  /** What an orchestrator in this state appends besides. */
  default List<ControlRecord> appendBesides(MachineState state) {
    return List.of();
  }

  /** What an orchestrator that starts reads of the control log. */
  default List<ControlRecord> takenOver(List<ControlRecord> log) {
    return log;
  }

  /** What a node that starts reads of the log. */
  default List<ControlRecord> replay(List<ControlRecord> log) {
    return log;
  }

  /** Whether nodes and orchestrators check who wrote a record, and its bounds. */
  default boolean checksRecords() {
    return true;
  }

  /** Whether a client waits for all replicas of a key that is sequential. */
  default boolean knowsSequentialKeys() {
    return true;
  }

  /** How many replicas a client waits for, of a key that is sequential. */
  default int sequentialWrites(int writes) {
    return writes;
  }

  /** Whether the job keeps what is of a version of a predicate that it does not know yet. */
  default boolean waitsForPredicates() {
    return true;
  }

  /** Whether a node looks at the fence while it holds the write lock. */
  default boolean fencesUnderLock() {
    return true;
  }

  /** Whether a node that starts opens its socket only when it has read the control log. */
  default boolean servesWhenCaughtUp() {
    return true;
  }

  /** Whether a detector publishes events late that Kafka refused. */
  default boolean hearsOfRefusals() {
    return true;
  }

  /** Whether the job keeps back what arrives behind a record that was refused. */
  default boolean keepsBack() {
    return true;
  }

  /** Whether a node publishes progress only after all earlier events. */
  default boolean waitsForUnpublished() {
    return true;
  }

  /** Whether versions with equal clocks, before and after a delete, differ. */
  default boolean tellsTimesOfVersions() {
    return true;
  }

  /** Whether the job says what was lost before the judgement that passes it. */
  default boolean tellsLossesFirst() {
    return true;
  }

  /** What the job looks for. */
  default DetectionSpec detected(DetectionSpec spec) {
    return spec;
  }

  /** A candidate as the job reads it. */
  default CandidateRecord read(CandidateRecord record) {
    return record;
  }

  /** Whether the job writes violations before the judgement that passes them. */
  default boolean judgesLast() {
    return true;
  }

  /**
   * The clocks that a client states as seen.
   *
   * @param read what it read only to write on top of it
   */
  default List<VectorClock> stated(List<VectorClock> seen, List<VectorClock> read) {
    return seen;
  }

  /**
   * The stale reads among what a client reads.
   *
   * @param written the clock that it wrote last of the key; empty: none
   */
  default List<Stale> stale(List<Stale> found, List<Versioned> read, VectorClock written) {
    return found;
  }

  /** The epoch as a client's search for stale reads takes it. */
  default long judgedIn(long epoch) {
    return epoch;
  }

  /** Whether a node answers that it cannot carry out a duty. */
  default boolean answersFailures() {
    return true;
  }
}
