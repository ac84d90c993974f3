package io.palinode.cql.client;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.context.DriverContext;
import com.datastax.oss.driver.api.core.cql.AsyncResultSet;
import com.datastax.oss.driver.api.core.cql.ExecutionInfo;
import com.datastax.oss.driver.api.core.cql.ResultSet;
import com.datastax.oss.driver.api.core.cql.Statement;
import com.datastax.oss.driver.api.core.metadata.Metadata;
import com.datastax.oss.driver.api.core.metrics.Metrics;
import com.datastax.oss.driver.api.core.servererrors.InvalidQueryException;
import com.datastax.oss.driver.api.core.session.Request;
import com.datastax.oss.driver.api.core.type.reflect.GenericType;
import io.palinode.cql.protocol.Context;
import io.palinode.hvc.Hvc;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A session of the driver whose statements carry this client's epoch and clock.
 *
 * <p>Calls wait while a rollback pauses the servers. If the rollback ended their epoch, they throw
 * {@link RolledBackException} or are sent again, see {@link OnRollback}. A later page of a result
 * fails with {@link InvalidQueryException} then. Reactive results only carry the context. Is one
 * client; thread-safe. Cheap: a program may have one for each of its tasks over one driver session.
 */
public final class PalinodeSession implements CqlSession {
  private static final Logger log = LoggerFactory.getLogger(PalinodeSession.class);
  private static final Duration PAUSE_MAX_DEFAULT = Duration.ofSeconds(30);

  private final CqlSession driver;
  private final OnRollback onRollback;
  private final Duration pauseMax;
  private final SharedView view = new SharedView();
  private final AtomicBoolean warned = new AtomicBoolean();

  private PalinodeSession(CqlSession driver, OnRollback onRollback, Duration pauseMax) {
    this.driver = driver;
    this.onRollback = onRollback;
    this.pauseMax = pauseMax;
  }

  /** A client that sends requests again after a rollback. */
  public static PalinodeSession of(CqlSession driver) {
    return of(driver, OnRollback.RETRY);
  }

  public static PalinodeSession of(CqlSession driver, OnRollback onRollback) {
    return of(driver, onRollback, PAUSE_MAX_DEFAULT);
  }

  /**
   * @param pauseMax how long calls wait for paused servers; then they fail with the last refusal
   */
  public static PalinodeSession of(CqlSession driver, OnRollback onRollback, Duration pauseMax) {
    return new PalinodeSession(driver, onRollback, pauseMax);
  }

  /** The epoch of the next request; empty before the first answer with a context. */
  public OptionalLong epoch() {
    long epoch = view.now().epoch();
    return epoch == Context.UNKNOWN ? OptionalLong.empty() : OptionalLong.of(epoch);
  }

  /**
   * The HLC of an answer: a write stands after a rollback to this time or a later one. Empty if the
   * server sent no context.
   */
  public static OptionalLong answeredAt(ExecutionInfo info) {
    ByteBuffer bytes = info.getIncomingPayload().get(Context.KEY);
    Hvc clock = bytes == null ? null : Context.decode(Call.bytes(bytes)).clock();
    return clock == null ? OptionalLong.empty() : OptionalLong.of(clock.own());
  }

  @Override
  @SuppressWarnings("unchecked") // The result type is the one that was asked for.
  public <RequestT extends Request, ResultT> @Nullable ResultT execute(
      RequestT request, GenericType<ResultT> type) {
    if (!(request instanceof Statement<?> statement)) {
      return driver.execute(request, type);
    }
    Call call = new Call(statement, view, onRollback, pauseMax.toMillis());
    if (type.equals(Statement.SYNC)) {
      return (ResultT) send(call);
    }
    return type.equals(Statement.ASYNC)
        ? (ResultT) sendAsync(call)
        : driver.execute(call.next(), type);
  }

  private ResultSet send(Call call) {
    while (true) {
      try {
        ResultSet result = driver.execute(call.next());
        answered(call, result.getExecutionInfo());
        return result;
      } catch (InvalidQueryException e) {
        pause(call.millisBeforeNext(e), e);
      }
    }
  }

  private static void pause(long millis, InvalidQueryException refusal) {
    try {
      TimeUnit.MILLISECONDS.sleep(millis);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw refusal;
    }
  }

  private CompletionStage<AsyncResultSet> sendAsync(Call call) {
    return driver
        .executeAsync(call.next())
        .handle((result, error) -> error == null ? counted(call, result) : again(call, error))
        .thenCompose(next -> next);
  }

  private CompletionStage<AsyncResultSet> counted(Call call, AsyncResultSet result) {
    answered(call, result.getExecutionInfo());
    return CompletableFuture.completedFuture(result);
  }

  private CompletionStage<AsyncResultSet> again(Call call, Throwable error) {
    Throwable cause = error instanceof CompletionException ? error.getCause() : error;
    if (!(cause instanceof InvalidQueryException refusal)) {
      return CompletableFuture.failedFuture(cause);
    }
    try {
      Executor later =
          CompletableFuture.delayedExecutor(call.millisBeforeNext(refusal), TimeUnit.MILLISECONDS);
      return CompletableFuture.supplyAsync(() -> sendAsync(call), later).thenCompose(next -> next);
    } catch (RolledBackException | InvalidQueryException ended) {
      return CompletableFuture.failedFuture(ended);
    }
  }

  private void answered(Call call, ExecutionInfo info) {
    if (!call.answered(info) && warned.compareAndSet(false, true)) {
      log.warn(
          "server={} state=NO_CONTEXT, rollbacks refuse no request there; see 'cassandra.custom_query_handler_class'",
          info.getCoordinator());
    }
  }

  @Override
  public String getName() {
    return driver.getName();
  }

  @Override
  public Metadata getMetadata() {
    return driver.getMetadata();
  }

  @Override
  public boolean isSchemaMetadataEnabled() {
    return driver.isSchemaMetadataEnabled();
  }

  @Override
  public CompletionStage<Metadata> setSchemaMetadataEnabled(@Nullable Boolean newValue) {
    return driver.setSchemaMetadataEnabled(newValue);
  }

  @Override
  public CompletionStage<Metadata> refreshSchemaAsync() {
    return driver.refreshSchemaAsync();
  }

  @Override
  public CompletionStage<Boolean> checkSchemaAgreementAsync() {
    return driver.checkSchemaAgreementAsync();
  }

  @Override
  public DriverContext getContext() {
    return driver.getContext();
  }

  @Override
  public Optional<CqlIdentifier> getKeyspace() {
    return driver.getKeyspace();
  }

  @Override
  public Optional<Metrics> getMetrics() {
    return driver.getMetrics();
  }

  @Override
  public CompletionStage<Void> closeFuture() {
    return driver.closeFuture();
  }

  @Override
  public CompletionStage<Void> closeAsync() {
    return driver.closeAsync();
  }

  @Override
  public CompletionStage<Void> forceCloseAsync() {
    return driver.forceCloseAsync();
  }
}
