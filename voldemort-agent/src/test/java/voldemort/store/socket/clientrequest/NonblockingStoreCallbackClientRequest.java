package voldemort.store.socket.clientrequest;

/** Shaped like Voldemort's class of this name, where it matters; written for tests. */
public class NonblockingStoreCallbackClientRequest {
  private final AbstractClientRequest clientRequest;
  private final Runnable callback;

  public NonblockingStoreCallbackClientRequest(
      AbstractClientRequest clientRequest, Runnable callback) {
    this.clientRequest = clientRequest;
    this.callback = callback;
  }

  public void complete() {
    String unused = clientRequest.getResult();
    callback.run();
  }

  public void timeOut() {
    callback.run();
  }
}
