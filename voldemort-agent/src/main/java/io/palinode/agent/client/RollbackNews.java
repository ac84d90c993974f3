package io.palinode.agent.client;

import io.palinode.hvc.Hlc;
import io.palinode.voldemort.client.session.RolledBack;
import io.palinode.voldemort.client.session.Session;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Notifies of rollbacks: in the log, and the application's listener class in a separate thread.
 * That class is a {@code Consumer<Map<String, Object>>} with a public constructor without
 * parameters; it needs no class of the agent.
 */
final class RollbackNews implements Session.Listener {
  private static final Logger log = LoggerFactory.getLogger(RollbackNews.class);

  private final ClientAgentConfig config;
  private final ExecutorService notifier;
  private final @Nullable Consumer<Map<String, Object>> listener;

  /**
   * @param loader the loader of Voldemort's classes; used if the thread's loader does not find the
   *     listener
   */
  RollbackNews(ClientAgentConfig config, ClassLoader loader) {
    this.config = config;
    this.listener = config.rollbackListener().isEmpty() ? null : load(loader);
    this.notifier =
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
      log.error(
          "rollbackListener={} is not a java.util.function.Consumer", config.rollbackListener());
    } catch (ReflectiveOperationException | LinkageError e) {
      log.error("rollbackListener={} could not be created", config.rollbackListener(), e);
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

  /** {@inheritDoc} Does nothing: each operation detects it. */
  @Override
  public void epochOver() {}

  @Override
  public void rolledBack(RolledBack back) {
    log.info("client={} rolledBack={}", config.client(), back);
    Consumer<Map<String, Object>> registered = listener;
    if (registered != null) {
      notifier.execute(() -> notify(registered, back));
    }
  }

  private void notify(Consumer<Map<String, Object>> registered, RolledBack back) {
    try {
      registered.accept(
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
