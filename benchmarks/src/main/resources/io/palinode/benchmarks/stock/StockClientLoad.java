import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import voldemort.client.ClientConfig;
import voldemort.client.SocketStoreClientFactory;
import voldemort.client.StoreClient;
import voldemort.client.protocol.RequestFormatType;

/**
 * A program with Voldemort's own Java client, whose threads read and write at random. It is compiled where it runs, against the Voldemort that is
 * there: {@code java -cp VOLDEMORT StockClientLoad.java HOST:PORT STORE PROTOCOL KEYS VALUE_BYTES THREADS}.
 *
 * <p>Each round is one input line: the percent of writes, the milliseconds of warm-up, the measured milliseconds, and a seed.
 * It prints {@code begun} when measuring starts, and then the number of operations and the median and the 99th percentile of their nanoseconds.
 */
public final class StockClientLoad {
  private final StoreClient<String, String> client;
  private final int keys;
  private final String value;

  private StockClientLoad(StoreClient<String, String> client, int keys, String value) {
    this.client = client;
    this.keys = keys;
    this.value = value;
  }

  public static void main(String[] args) throws Exception {
    ClientConfig config =
        new ClientConfig()
            .setBootstrapUrls("tcp://" + args[0])
            .enableDefaultClient(true)
            .setRequestFormatType(RequestFormatType.fromCode(args[2]));
    StoreClient<String, String> client = new SocketStoreClientFactory(config).getStoreClient(args[1]);
    StockClientLoad load = new StockClientLoad(client, Integer.parseInt(args[3]), "x".repeat(Integer.parseInt(args[4])));
    BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
    System.out.println("ready");
    for (String line = in.readLine(); line != null; line = in.readLine()) {
      String[] round = line.split(" ");
      load.round(
          Integer.parseInt(args[5]), Integer.parseInt(round[0]), Long.parseLong(round[1]), Long.parseLong(round[2]), Long.parseLong(round[3]));
    }
    System.exit(0);
  }

  private void round(int threads, int writePercent, long rampMillis, long millis, long seed) throws InterruptedException {
    long begin = System.nanoTime() + rampMillis * 1_000_000;
    long end = begin + millis * 1_000_000;
    List<Caller> callers = new ArrayList<>();
    for (int i = 0; i < threads; i++) {
      Caller caller = new Caller(new Random(seed + i), writePercent, begin, end);
      callers.add(caller);
      caller.start();
    }
    Thread.sleep(rampMillis);
    System.out.println("begun");
    long[] nanos = new long[0];
    for (Caller caller : callers) {
      caller.join();
      int before = nanos.length;
      nanos = Arrays.copyOf(nanos, before + caller.count);
      System.arraycopy(caller.nanos, 0, nanos, before, caller.count);
    }
    Arrays.sort(nanos);
    System.out.println(nanos.length + " " + nanos[nanos.length / 2] + " " + nanos[(int) (nanos.length * 0.99)]);
  }

  private final class Caller extends Thread {
    private final Random random;
    private final int writePercent;
    private final long begin;
    private final long end;
    private long[] nanos = new long[1 << 16];
    private int count;

    Caller(Random random, int writePercent, long begin, long end) {
      this.random = random;
      this.writePercent = writePercent;
      this.begin = begin;
      this.end = end;
    }

    @Override
    public void run() {
      for (long now = System.nanoTime(); now < end; ) {
        long asked = now;
        String key = String.format("key-%08d", random.nextInt(keys));
        if (random.nextInt(100) < writePercent) {
          client.put(key, value);
        } else {
          client.get(key);
        }
        now = System.nanoTime();
        if (asked >= begin) {
          note(now - asked);
        }
      }
    }

    private void note(long took) {
      if (count == nanos.length) {
        nanos = Arrays.copyOf(nanos, 2 * count);
      }
      nanos[count++] = took;
    }
  }
}
