package io.palinode.agent.client;

import io.palinode.agent.StockTypes;
import io.palinode.agent.UnknownField;
import io.palinode.hvc.Hlc;
import io.palinode.voldemort.client.EpochView;
import io.palinode.voldemort.client.RolledBack;
import io.palinode.voldemort.client.Session;
import io.palinode.voldemort.protocol.Pb0.ResponseContext;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One client of one cluster: what it knows of it, and in which epoch each thread of the application
 * is. Thread-safe.
 */
final class ClusterClient {
  private static final Logger log = LoggerFactory.getLogger(ClusterClient.class);

  private final ClientAgentConfig config;
  private final StockTypes types;
  private final UnknownField field;
  private final ReadValues readValues;
  private final Session session;
  private final AtomicBoolean toldEpoch = new AtomicBoolean();
  private final AtomicBoolean toldNoRoom = new AtomicBoolean();
  private final ThreadLocal<long[]> epochs =
      ThreadLocal.withInitial(() -> new long[] {EpochView.UNKNOWN});

  ClusterClient(ClientAgentConfig config, StockTypes types) {
    this.config = config;
    this.types = types;
    this.field = new UnknownField(types);
    this.readValues = new ReadValues(types);
    this.session = new Session(config.client(), config.pauseMax());
    session.listen(new RollbackNews(config, types.loader()));
  }

  StockTypes types() {
    return types;
  }

  UnknownField field() {
    return field;
  }

  ReadValues readValues() {
    return readValues;
  }

  Session session() {
    return session;
  }

  long pauseNanosMax() {
    return config.pauseMax().toNanos();
  }

  /** The epoch in which this thread reads and writes. */
  long epochOfThread() {
    return epochs.get()[0];
  }

  void enter(long epoch) {
    epochs.get()[0] = epoch;
  }

  /**
   * What this thread has done before any epoch was known was done in the first one that was told,
   * though another may have begun since.
   */
  void stay() {
    if (epochOfThread() == EpochView.UNKNOWN) {
      EpochView view = session.view();
      List<RolledBack> since = view.rollbacks();
      enter(since.isEmpty() ? view.epoch() : since.get(0).fromEpoch());
    }
  }

  Session.Verdict heard(long epoch, ResponseContext context) {
    Session.Verdict verdict = session.observed(epoch, context);
    if (!toldEpoch.get()) {
      tellEpoch(session.view().epoch());
    }
    return verdict;
  }

  /** Once. It may be long unknown: a cluster that was paused before we asked tells none. */
  private void tellEpoch(long known) {
    if (known != EpochView.UNKNOWN && toldEpoch.compareAndSet(false, true)) {
      log.info("client={} epoch={} state=KNOWN", config.client(), known);
    }
  }

  /** Says once that this client's protocol carries nothing along. */
  void hasNoRoom() {
    if (toldNoRoom.compareAndSet(false, true)) {
      log.warn(
          "client={} state=NO_ROOM its requests are not pb0, so no epoch and no clock goes along: it is in no epoch, and hears of no rollback. Set ClientConfig.setRequestFormatType(RequestFormatType.PROTOCOL_BUFFERS), or request_format=pb0",
          config.client());
    }
  }

  String describe(RolledBack back) {
    return "the cluster was rolled back: epoch=%d target=%s%s; read again"
        .formatted(
            back.toEpoch(),
            Hlc.format(back.target()),
            back.restart() ? ", begin anew, for what is there may be wrong" : "");
  }
}
