package io.palinode.cli.bench.stock;

import io.palinode.benchmarks.hazelcast.HazelcastSnapshots.Operator;
import io.palinode.benchmarks.hazelcast.HazelcastSnapshots.Taken;
import io.palinode.hvc.Hlc;
import io.palinode.orchestrator.request.RefusedException;
import io.palinode.orchestrator.rest.SnapshotBackend;
import io.palinode.orchestrator.snapshot.NodePart;
import io.palinode.orchestrator.snapshot.Snapshot;
import io.palinode.orchestrator.snapshot.SnapshotRequest;
import io.palinode.voldemort.server.SystemMicros;
import java.util.concurrent.TimeUnit;

/** Snapshots as an orchestrator takes them. For one thread. */
final class OrchestratorSnapshots implements Operator {
  private static final double MICROS_PER_MS = 1e3;

  private final SnapshotBackend snapshots;
  private int number;

  OrchestratorSnapshots(SnapshotBackend snapshots) {
    this.snapshots = snapshots;
  }

  @Override
  public void begin(int secondsBack) {
    long micros = new SystemMicros().getAsLong() - TimeUnit.SECONDS.toMicros(secondsBack);
    Long hlc = secondsBack == 0 ? null : Hlc.ofMicros(micros);
    number++;
    try {
      Snapshot unused = snapshots.take(new SnapshotRequest(id(), hlc, null, false, 0));
    } catch (RefusedException e) {
      throw new IllegalStateException("the snapshot was refused: " + e.getMessage(), e);
    }
  }

  private String id() {
    return "bench-" + number;
  }

  @Override
  public Taken end() throws InterruptedException {
    Snapshot now = snapshots.get(id());
    while (now == null || now.phase() == Snapshot.Phase.TAKING) {
      TimeUnit.MILLISECONDS.sleep(1);
      now = snapshots.get(id());
    }
    if (now.phase() != Snapshot.Phase.COMPLETE) {
      throw new IllegalStateException("the snapshot is %s: %s".formatted(now.phase(), now.nodes()));
    }
    try {
      // Else the next one would begin from its part.
      snapshots.delete(id());
    } catch (RefusedException e) {
      throw new IllegalStateException("the snapshot stays: " + e.getMessage(), e);
    }
    return new Taken(
        now.nodes().stream().map(NodePart::taken).mapToLong(part -> part.getKeys()).sum(),
        (now.endedMicros() - now.openedMicros()) / MICROS_PER_MS);
  }
}
