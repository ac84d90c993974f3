package io.palinode.cassandra.request;

import io.palinode.cassandra.node.ServerNode;
import java.util.List;
import org.apache.cassandra.net.Message;
import org.apache.cassandra.service.ClientWarn;
import org.jspecify.annotations.Nullable;

/**
 * The epoch of the request that a thread works for. Cassandra hands the state of a request's
 * warnings on to each thread that works for it, and takes it back at the end. So this is one.
 */
public final class RequestState extends ClientWarn.State {
  private final long epoch;
  private final @Nullable Message<?> request;

  private RequestState(long epoch, @Nullable Message<?> request) {
    this.epoch = epoch;
    this.request = request;
  }

  /**
   * The calling thread, and those that it gives work to, work for a request of this epoch.
   *
   * @param request of another server; null for one of a client
   */
  static void begin(long epoch, @Nullable Message<?> request) {
    List<String> warnings = ClientWarn.instance.getWarnings();
    ClientWarn.instance.set(new RequestState(epoch, request));
    if (warnings != null) {
      warnings.forEach(ClientWarn.instance::warn);
    }
  }

  /** That of the calling thread; null if it works for no request with an epoch. */
  static @Nullable RequestState current() {
    return ClientWarn.instance.get() instanceof RequestState state ? state : null;
  }

  long epoch() {
    return epoch;
  }

  @Nullable Message<?> request() {
    return request;
  }

  /** Whether the calling thread works for a request that this server does not carry out. */
  public static boolean isRefused(ServerNode server) {
    RequestState state = current();
    return state != null && Verdict.of(server.fence(), state.epoch()) != Verdict.SERVED;
  }
}
