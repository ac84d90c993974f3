package io.palinode.agent.client;

import io.palinode.hvc.Hlc;
import io.palinode.voldemort.client.RolledBack;
import io.palinode.voldemort.client.Session;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells of rollbacks: in the log, and to the application's own class if it has named one, on a
 * thread of ours. That class needs nothing of ours: it has a public constructor without parameters,
 * and is a {@code Consumer<Map<String, Object>>}.
 */
final class RollbackNews implements Session.Listener {
  private static final Logger log = LoggerFactory.getLogger(RollbackNews.class);

  private final ClientAgentConfig config;
  private final ExecutorService teller;
  private final @Nullable Consumer<Map<String, Object>> listener;

  /**
   * @param loader knows Voldemort's classes; asked where the thread's own does not know the
   *     listener
   */
  RollbackNews(ClientAgentConfig config, ClassLoader loader) {
    this.config = config;
    this.listener = config.rollbackListener().isEmpty() ? null : load(loader);
    this.teller =
        Executors.newSingleThreadExecutor(
            work -> {
              Thread thread = new Thread(work, "palinode-rollbacks");
              thread.setDaemon(true);
              thread.setContextClassLoader(loader);
              return thread;
            });
  }

  private @Nullable Consumer<Map<String, Object>> load(ClassLoader loader) {
    try {
      Object made = find(loader).getConstructor().newInstance();
      if (made instanceof Consumer<?> consumer) {
        @SuppressWarnings("unchecked")
        Consumer<Map<String, Object>> taker = (Consumer<Map<String, Object>>) consumer;
        return taker;
      }
      log.error("rollbackListener={} is no java.util.function.Consumer", config.rollbackListener());
    } catch (ReflectiveOperationException | LinkageError e) {
      log.error("rollbackListener={} could not be made", config.rollbackListener(), e);
    }
    return null;
  }

  private Class<?> find(ClassLoader loader) throws ClassNotFoundException {
    try {
      return Class.forName(
          config.rollbackListener(), true, Thread.currentThread().getContextClassLoader());
    } catch (ClassNotFoundException notThere) {
      return Class.forName(config.rollbackListener(), true, loader);
    }
  }

  /** {@inheritDoc} Operations find out themselves. */
  @Override
  public void epochOver() {}

  @Override
  public void rolledBack(RolledBack back) {
    log.info("client={} rolledBack={}", config.client(), back);
    Consumer<Map<String, Object>> told = listener;
    if (told != null) {
      teller.execute(() -> tell(told, back));
    }
  }

  private void tell(Consumer<Map<String, Object>> told, RolledBack back) {
    try {
      told.accept(
          Map.of(
              "fromEpoch", back.fromEpoch(),
              "toEpoch", back.toEpoch(),
              "target", Hlc.format(back.target()),
              "targetMicros", Hlc.micros(back.target()),
              "restart", back.restart()));
    } catch (RuntimeException e) {
      log.error("rollbackListener={} failed", config.rollbackListener(), e);
    }
  }
}
