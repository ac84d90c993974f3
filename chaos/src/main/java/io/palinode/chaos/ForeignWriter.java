package io.palinode.chaos;

import io.palinode.hvc.Hlc;
import io.palinode.orchestrator.rest.Views.RollbackView;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/**
 * Writes each key once, without the client library, in its own thread. No rollback notifies it, so
 * the times of all rollbacks show which of its writes must stand.
 */
final class ForeignWriter implements Runnable {
  /** By so much a node's clock may differ from this machine's. */
  private static final long SLACK_MICROS = 300_000;

  private static final long PAUSE_NANOS = 25_000_000;
  private static final Duration READ_MAX = Duration.ofSeconds(30);

  private final List<String> nodes;
  private final List<Written> acknowledged = new ArrayList<>();
  private volatile boolean ended;

  private record Written(String key, ForeignClient.Written write) {}

  ForeignWriter(List<String> nodes) {
    this.nodes = nodes;
  }

  void end() {
    ended = true;
  }

  @Override
  public void run() {
    try (ForeignClient client = new ForeignClient(nodes)) {
      for (long number = 0; !ended; number++) {
        String key = "foreign_" + number;
        ForeignClient.Written write = client.putNew(key, "written");
        if (write.isAcknowledged()) {
          acknowledged.add(new Written(key, write));
        }
        LockSupport.parkNanos(PAUSE_NANOS);
      }
    }
  }

  /**
   * What was acknowledged.
   *
   * @param inDoubt those that a rollback may have discarded
   * @param missing those that must stand, and are on no node
   * @param unread those that must stand, and that not all nodes answered for
   */
  record Outcome(long acknowledged, long inDoubt, List<String> missing, long unread) {}

  /** Reads what must stand. Call after the thread has ended. */
  Outcome outcome(List<RollbackView> rollbacks) {
    long inDoubt = 0;
    long unread = 0;
    List<String> missing = new ArrayList<>();
    long until = System.nanoTime() + READ_MAX.toNanos();
    try (ForeignClient client = new ForeignClient(nodes)) {
      for (Written each : acknowledged) {
        if (rollbacks.stream().anyMatch(rollback -> mayDiscard(rollback, each.write()))) {
          inDoubt++;
          continue;
        }
        Boolean found = client.has(each.key());
        while (found == null && System.nanoTime() < until) {
          found = client.has(each.key());
        }
        if (found == null) {
          unread++;
        } else if (!found) {
          missing.add(each.key());
        }
      }
    }
    return new Outcome(acknowledged.size(), inDoubt, List.copyOf(missing), unread);
  }

  private static boolean mayDiscard(RollbackView rollback, ForeignClient.Written write) {
    long target = Hlc.micros(Hlc.parse(rollback.target()));
    Long over = rollback.endedMicros();
    return write.answeredMicros() + SLACK_MICROS > target
        && (over == null || write.sentMicros() - SLACK_MICROS < over);
  }
}
