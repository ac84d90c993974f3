package io.palinode.agent.client;

import io.palinode.agent.engine.UnknownField;
import io.palinode.agent.stock.StockTypes;
import io.palinode.hvc.Hlc;
import io.palinode.voldemort.client.session.EpochView;
import io.palinode.voldemort.client.session.RolledBack;
import io.palinode.voldemort.client.session.Session;
import io.palinode.voldemort.protocol.Pb0.ResponseContext;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One client of one cluster: its session, and the epoch of each application thread. Thread-safe.
 */
final class ClusterClient {
  private static final Logger log = LoggerFactory.getLogger(ClusterClient.class);

  private final ClientAgentConfig config;
  private final StockTypes types;
  private final UnknownField field;
  private final ReadValues readValues;
  private final Session session;
  private final AtomicBoolean epochLogged = new AtomicBoolean();
  private final AtomicBoolean noRoomLogged = new AtomicBoolean();
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

  /** The epoch of this thread. */
  long epochOfThread() {
    return epochs.get()[0];
  }

  void enter(long epoch) {
    epochs.get()[0] = epoch;
  }

  /**
   * Assigns this thread to the first known epoch. Its earlier operations ran in it, even if another
   * epoch has begun since.
   */
  void stay() {
    if (epochOfThread() == EpochView.UNKNOWN) {
      EpochView view = session.view();
      List<RolledBack> since = view.rollbacks();
      enter(since.isEmpty() ? view.epoch() : since.get(0).fromEpoch());
    }
  }

  Session.Verdict observed(long epoch, ResponseContext context) {
    Session.Verdict verdict = session.observed(epoch, context);
    if (!epochLogged.get()) {
      logEpoch(session.view().epoch());
    }
    return verdict;
  }

  /** Logs the epoch once. A cluster paused before the first request names no epoch. */
  private void logEpoch(long known) {
    if (known != EpochView.UNKNOWN && epochLogged.compareAndSet(false, true)) {
      log.info("client={} epoch={} state=KNOWN", config.client(), known);
    }
  }

  /** Logs once that this client's protocol cannot carry a context. */
  void hasNoRoom() {
    if (noRoomLogged.compareAndSet(false, true)) {
      log.warn(
          "client={} state=NO_ROOM its requests are not pb0 and carry no context, so it receives no notice of rollbacks. Set ClientConfig.setRequestFormatType(RequestFormatType.PROTOCOL_BUFFERS), or request_format=pb0",
          config.client());
    }
  }

  String describe(RolledBack back) {
    return "the cluster was rolled back: epoch=%d target=%s%s; read again"
        .formatted(
            back.toEpoch(),
            Hlc.format(back.target()),
            back.restart() ? ", and start again, since the data may be wrong" : "");
  }
}
