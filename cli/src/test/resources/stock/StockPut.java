import voldemort.client.ClientConfig;
import voldemort.client.SocketStoreClientFactory;
import voldemort.client.StoreClient;
import voldemort.client.protocol.RequestFormatType;

/**
 * Writes keys with the stock Java client over pb0, the key's own name to each; for a replica that is away it leaves hints. Compiled where
 * it runs: {@code java -cp VOLDEMORT StockPut.java URL STORE PREFIX COUNT}.
 */
public final class StockPut {
  private StockPut() {}

  public static void main(String[] args) {
    ClientConfig config =
        new ClientConfig()
            .setBootstrapUrls(args[0])
            .setRequestFormatType(RequestFormatType.PROTOCOL_BUFFERS)
            .enableDefaultClient(true);
    SocketStoreClientFactory factory = new SocketStoreClientFactory(config);
    try {
      StoreClient<String, String> client = factory.getStoreClient(args[1]);
      for (int i = 0; i < Integer.parseInt(args[3]); i++) {
        client.put(args[2] + i, args[2] + i);
      }
    } finally {
      factory.close();
    }
  }
}
