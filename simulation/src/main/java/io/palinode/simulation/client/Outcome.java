package io.palinode.simulation.client;

import io.palinode.detector.binding.Version;
import io.palinode.voldemort.client.session.RolledBack;
import java.util.List;

/** How a client's call ended. */
sealed interface Outcome {
  /** Enough nodes have it. */
  record Done(List<Version> found) implements Outcome {}

  /** Its epoch is over. */
  record TakenBack(RolledBack rolledBack) implements Outcome {}

  /** Too few nodes answered, or it took too long: whether it was done is not known. */
  record Failed(String reason) implements Outcome {}
}
