package io.palinode.simulation.store;

import io.palinode.simulation.check.SingleChecks.LostUpdates.Seen;
import io.palinode.voldemort.protocol.VectorClock;
import java.util.List;

/**
 * What the writer of a put has seen of its key.
 *
 * @param stated the clocks that production's client sends
 * @param inFull for the checks; no process reads it
 */
public record SeenByWriter(List<VectorClock> stated, Seen inFull) {}
