package io.palinode.orchestrator.rest.access;

import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.server.ConnectionMetaData;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.thread.Scheduler;

/**
 * Discards the body of a request that was answered before its body was read. Without that, Jetty
 * resets the connection, and the client may lose the answer. Needs no thread while it waits.
 */
final class UnreadBodies extends Handler.Wrapper {
  private final long limitMs;

  /**
   * @param limitMs after this time, the connection is closed
   */
  UnreadBodies(long limitMs) {
    this.limitMs = limitMs;
  }

  @Override
  public boolean handle(Request request, Response response, Callback callback) throws Exception {
    return super.handle(
        new Discarded(request),
        response,
        Callback.from(() -> discard(request, callback), callback::failed));
  }

  private void discard(Request request, Callback callback) {
    ConnectionMetaData connection = request.getConnectionMetaData();
    EndPoint endPoint = connection.getConnection().getEndPoint();
    Scheduler.Task limit =
        connection
            .getConnector()
            .getScheduler()
            .schedule(endPoint::close, limitMs, TimeUnit.MILLISECONDS);
    Content.Source.consumeAll(request, Callback.from(callback, limit::cancel));
  }

  /** Jetty does not discard what remains, which would end the connection. */
  private static final class Discarded extends Request.Wrapper {
    Discarded(Request request) {
      super(request);
    }

    @Override
    public boolean consumeAvailable() {
      return true;
    }
  }
}
