package io.palinode.orchestrator.rest.access;

import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.server.AbstractConnector;
import org.eclipse.jetty.server.Connector;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.internal.HttpConnection;
import org.eclipse.jetty.util.component.LifeCycle;

/**
 * Closes connections whose TLS handshake, or the head of whose next request, takes long. A client
 * that sends a byte now and then is never idle, and has proved no name. Other limits end slow
 * bodies. A running request is not affected.
 */
final class SlowConnections implements Connection.Listener {
  private final long lookMs;

  /**
   * @param lookMs a connection may take this time for a head, and at most twice this time
   */
  private SlowConnections(long lookMs) {
    this.lookMs = lookMs;
  }

  /** For all connectors that the server has when it starts. */
  static void limit(Server server, long lookMs) {
    SlowConnections limit = new SlowConnections(lookMs);
    server.addEventListener(
        new LifeCycle.Listener() {
          @Override
          public void lifeCycleStarting(LifeCycle starting) {
            for (Connector connector : server.getConnectors()) {
              ((AbstractConnector) connector).addEventListener(limit);
            }
          }
        });
  }

  @Override
  public void onOpened(Connection opened) {
    // Over TLS, its handshake is still to come.
    if (opened instanceof HttpConnection http) {
      new Look(http).schedule();
    }
  }

  @Override
  public void onClosed(Connection closed) {}

  /** For the scheduler's thread. */
  private final class Look implements Runnable {
    private final HttpConnection connection;
    private long requests;
    private long bytes;
    private boolean isLate;

    Look(HttpConnection connection) {
      this.connection = connection;
    }

    void schedule() {
      var unused =
          connection.getConnector().getScheduler().schedule(this, lookMs, TimeUnit.MILLISECONDS);
    }

    @Override
    public void run() {
      if (!connection.getEndPoint().isOpen()) {
        return;
      }
      long requestsNow = connection.getMessagesIn();
      long bytesNow = connection.getBytesIn();
      if (requestsNow != requests || connection.getHttpChannel().getRequest() != null) {
        requests = requestsNow;
        bytes = bytesNow;
        isLate = false;
      } else if (requestsNow == 0 || bytesNow > bytes) {
        if (isLate) {
          connection.getEndPoint().close();
          return;
        }
        isLate = true;
      }
      schedule();
    }
  }
}
