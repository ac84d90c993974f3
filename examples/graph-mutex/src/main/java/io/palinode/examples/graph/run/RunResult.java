package io.palinode.examples.graph.run;

import io.palinode.examples.graph.truth.SectionLog;
import io.palinode.voldemort.client.session.RolledBack;
import java.time.Duration;
import java.util.List;

/**
 * A run that ended well, all clients together.
 *
 * @param elapsed from the moment all clients were connected until the last was done
 * @param written of that, until the last client had finished its last task; the rest is the wait
 *     for the safe point and for the last writes to reach all replicas
 * @param done what all clients did
 * @param rollbacks that any client learned of, each once, in order of epochs
 * @param logs one a client
 */
public record RunResult(
    Duration elapsed,
    Duration written,
    Progress done,
    List<RolledBack> rollbacks,
    List<SectionLog> logs) {
  public RunResult {
    rollbacks = List.copyOf(rollbacks);
    logs = List.copyOf(logs);
  }
}
