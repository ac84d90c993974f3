import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import voldemort.client.ClientConfig;
import voldemort.client.SocketStoreClientFactory;
import voldemort.client.StoreClient;
import voldemort.client.UpdateAction;
import voldemort.client.protocol.RequestFormatType;
import voldemort.versioning.ObsoleteVersionException;
import voldemort.versioning.VectorClock;
import voldemort.versioning.Versioned;

/**
 * What a program does with the stock Java client, in each of its usual shapes. It is compiled where it runs, against the Voldemort that is
 * there: {@code java -cp VOLDEMORT StockWorkload.java URL STORE}. Exit status: the number of answers that were wrong.
 */
public final class StockWorkload {
  private static final int THREADS = 4;
  private static final int UPDATES = 25;

  private final String url;
  private final String store;
  private int wrong;

  private StockWorkload(String url, String store) {
    this.url = url;
    this.store = store;
  }

  public static void main(String[] args) throws Exception {
    StockWorkload workload = new StockWorkload(args[0], args[1]);
    for (RequestFormatType format :
        new RequestFormatType[] {null, RequestFormatType.VOLDEMORT_V3, RequestFormatType.PROTOCOL_BUFFERS}) {
      workload.run(format, false);
      workload.run(format, true);
    }
    System.out.println("wrong answers: " + workload.wrong);
    System.exit(workload.wrong);
  }

  private void run(RequestFormatType format, boolean isDefaultClient) {
    ClientConfig config = new ClientConfig().setBootstrapUrls(url).enableDefaultClient(isDefaultClient);
    if (format != null) {
      config.setRequestFormatType(format);
    }
    System.out.println("format " + config.getRequestFormatType() + (isDefaultClient ? ", default client" : ", Zen client"));
    SocketStoreClientFactory factory = new SocketStoreClientFactory(config);
    try {
      StoreClient<String, String> client = factory.getStoreClient(store);
      String prefix = UUID.randomUUID().toString().substring(0, 8);
      single(client, prefix + "k");
      several(client, prefix + "m");
      counted(client, prefix + "n");
    } catch (Exception failure) {
      failure.printStackTrace(System.out);
      wrong++;
    } finally {
      factory.close();
    }
  }

  private void single(StoreClient<String, String> client, String key) {
    check("get of an absent key", client.get(key), null);
    check("getValue with a default", client.getValue(key, "d"), "d");
    client.put(key, "v1");
    check("get", client.getValue(key), "v1");
    client.put(key, "v2");
    Versioned<String> read = client.get(key);
    check("get of the second value", read.getValue(), "v2");
    client.put(key, read);
    check("put of an old version", isObsolete(client, key, new Versioned<String>("x", new VectorClock())), true);
    check("putIfNotObsolete", client.putIfNotObsolete(key, new Versioned<String>("x", new VectorClock())), false);
    check("applyUpdate", client.applyUpdate(appending(key, "+")), true);
    check("get after applyUpdate", client.getValue(key), "v2+");
    char[] big = new char[300_000];
    Arrays.fill(big, 'e');
    client.put(key, new String(big));
    check("a long value", client.getValue(key).length(), big.length);
    check("delete", client.delete(key), true);
  }

  private static boolean isObsolete(StoreClient<String, String> client, String key, Versioned<String> old) {
    try {
      client.put(key, old);
      return false;
    } catch (ObsoleteVersionException refused) {
      return true;
    }
  }

  private static UpdateAction<String, String> appending(String key, String more) {
    return new UpdateAction<String, String>() {
      @Override
      public void update(StoreClient<String, String> client) {
        Versioned<String> now = client.get(key);
        client.put(key, new Versioned<String>(now.getValue() + more, now.getVersion()));
      }
    };
  }

  private void several(StoreClient<String, String> client, String prefix) {
    Map<String, String> expected = new HashMap<>();
    for (int i = 0; i < 50; i++) {
      client.put(prefix + i, "w" + i);
      expected.put(prefix + i, "w" + i);
    }
    List<String> keys = new ArrayList<>(expected.keySet());
    keys.add(prefix + "absent");
    Map<String, String> found = new HashMap<>();
    client.getAll(keys).forEach((key, value) -> found.put(key, value.getValue()));
    check("getAll", found, expected);
    check("delete of an absent key", client.delete(prefix + "absent"), false);
    check("delete of a version", client.delete(prefix + "1", client.get(prefix + "1").getVersion()), true);
    check("responsible nodes", client.getResponsibleNodes(prefix).isEmpty(), false);
  }

  private void counted(StoreClient<String, String> client, String key) throws Exception {
    client.put(key, "");
    ExecutorService pool = Executors.newFixedThreadPool(THREADS);
    List<Future<Integer>> applied = new ArrayList<>();
    for (int thread = 0; thread < THREADS; thread++) {
      applied.add(
          pool.submit(
              () -> {
                int done = 0;
                for (int i = 0; i < UPDATES; i++) {
                  done += client.applyUpdate(appending(key, "i"), 100) ? 1 : 0;
                }
                return done;
              }));
    }
    int sum = 0;
    for (Future<Integer> each : applied) {
      sum += each.get();
    }
    pool.shutdown();
    check("updates of several threads", client.getValue(key).length(), sum);
  }

  private void check(String what, Object found, Object expected) {
    if (!Objects.equals(found, expected)) {
      System.out.println("WRONG " + what + ": " + found + " instead of " + expected);
      wrong++;
    }
  }
}
