import voldemort.client.ClientConfig;
import voldemort.client.SocketStoreClientFactory;
import voldemort.client.StoreClient;
import voldemort.client.protocol.RequestFormatType;

/**
 * Reads a key with the stock Java client over pb0, and prints it; then waits for its input to end, for what a read repairs is sent behind
 * its back. Compiled where it runs: {@code java -cp VOLDEMORT StockRead.java URL STORE KEY}.
 */
public final class StockRead {
  private StockRead() {}

  public static void main(String[] args) throws Exception {
    ClientConfig config =
        new ClientConfig()
            .setBootstrapUrls(args[0])
            .setRequestFormatType(RequestFormatType.PROTOCOL_BUFFERS)
            .enableDefaultClient(true);
    SocketStoreClientFactory factory = new SocketStoreClientFactory(config);
    try {
      StoreClient<String, String> client = factory.getStoreClient(args[1]);
      System.out.println("read " + client.getValue(args[2]));
      while (System.in.read() >= 0) {
        // Nothing is to be said.
      }
    } finally {
      factory.close();
    }
  }
}
