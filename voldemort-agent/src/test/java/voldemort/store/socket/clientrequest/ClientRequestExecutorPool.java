package voldemort.store.socket.clientrequest;

/** Shaped like Voldemort's class of this name, where it matters; written for tests. */
public class ClientRequestExecutorPool {
  /** Waits for a connection. */
  public static class AsyncSocketDestinationRequest {
    public final AbstractClientRequest delegate;
    private final Runnable callback;

    public AsyncSocketDestinationRequest(AbstractClientRequest delegate, Runnable callback) {
      this.delegate = delegate;
      this.callback = callback;
    }

    public void handleTimeout() {
      handleException(new IllegalStateException("could not acquire resource"));
    }

    public void handleException(Exception e) {
      callback.run();
    }
  }
}
