package io.palinode.launcher;

import io.palinode.store.kafka.ClusterMember;
import io.palinode.voldemort.server.StoreService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Starts a node's socket once a plan has compared all keys: before that, its store lacks what other
 * replicas have. The node takes part in plans meanwhile.
 */
final class RepairWait implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(RepairWait.class);
  private static final long LOOK_MILLIS = 100;

  private final StoreService service;
  private final @Nullable ClusterMember member;
  private final Thread thread;

  private RepairWait(StoreService service, @Nullable ClusterMember member) {
    this.service = service;
    this.member = member;
    this.thread = new Thread(this::await, "palinode-repair-" + service.node().node());
    thread.setDaemon(true);
  }

  static RepairWait start(StoreService service, @Nullable ClusterMember member) {
    RepairWait started = new RepairWait(service, member);
    started.report(true);
    log.warn(
        "node={} phase=AWAITS_REPAIR it serves no client: run 'palinode repair'",
        service.node().node());
    started.thread.start();
    return started;
  }

  private void report(boolean awaits) {
    if (member != null) {
      member.awaitsRepair(awaits);
    }
  }

  private void await() {
    try {
      while (!service.node().rollback().hasComparedAll()) {
        TimeUnit.MILLISECONDS.sleep(LOOK_MILLIS);
      }
      service.repaired();
      service.start();
      report(false);
      log.info("node={} phase=REPAIRED", service.node().node());
    } catch (InterruptedException closing) {
      Thread.currentThread().interrupt();
    } catch (RuntimeException e) {
      log.error("node={} phase=AWAITS_REPAIR it cannot serve", service.node().node(), e);
    }
  }

  /** Idempotent. */
  @Override
  public void close() {
    thread.interrupt();
    try {
      thread.join(TimeUnit.SECONDS.toMillis(2));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
