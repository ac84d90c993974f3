import com.hazelcast.client.HazelcastClient;
import com.hazelcast.client.config.ClientConfig;
import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.map.IMap;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;

/**
 * A program with Hazelcast's own client, whose threads read and write at random. It is compiled where it runs, against the Hazelcast that is there:
 * {@code java -cp HAZELCAST HazelcastLoad.java CLUSTER ADDRESS KEYS VALUE_BYTES THREADS}.
 *
 * <p>An input line is {@code fill MAP}, answered with {@code done}; {@code rate N} for so many operations a second of all threads together, from then
 * on, also answered with {@code done}; or a round: the map, the percent of writes, the milliseconds of warm-up, the
 * measured milliseconds, and a seed. It prints {@code begun} when measuring starts, and then the number of operations and the median and the 99th
 * percentile of their nanoseconds.
 */
public final class HazelcastLoad {
  private static final int BATCH = 1_000;

  private final HazelcastInstance client;
  private final int keys;
  private final String value;
  private final int threads;

  /** Between two operations of a thread; 0: each follows the one before at once. */
  private long nanosBetween;

  private HazelcastLoad(String[] args) {
    ClientConfig config = new ClientConfig();
    config.setClusterName(args[0]);
    config.setProperty("hazelcast.logging.type", "none");
    config.getNetworkConfig().addAddress(args[1]);
    client = HazelcastClient.newHazelcastClient(config);
    keys = Integer.parseInt(args[2]);
    value = "x".repeat(Integer.parseInt(args[3]));
    threads = Integer.parseInt(args[4]);
  }

  public static void main(String[] args) throws Exception {
    HazelcastLoad load = new HazelcastLoad(args);
    BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
    System.out.println("ready");
    for (String line = in.readLine(); line != null; line = in.readLine()) {
      String[] words = line.split(" ");
      if (words[0].equals("fill")) {
        load.fill(load.client.getMap(words[1]));
        System.out.println("done");
      } else if (words[0].equals("rate")) {
        load.nanosBetween = 1_000_000_000L * load.threads / Integer.parseInt(words[1]);
        System.out.println("done");
      } else {
        load.round(
            load.client.getMap(words[0]), Integer.parseInt(words[1]), Long.parseLong(words[2]), Long.parseLong(words[3]), Long.parseLong(words[4]));
      }
    }
    System.exit(0);
  }

  private void fill(IMap<String, String> map) {
    for (int from = 0; from < keys; from += BATCH) {
      Map<String, String> batch = new HashMap<>();
      for (int i = from; i < Math.min(keys, from + BATCH); i++) {
        batch.put(key(i), value);
      }
      map.setAll(batch);
    }
  }

  private static String key(int i) {
    return String.format("key-%08d", i);
  }

  private void round(IMap<String, String> map, int writePercent, long rampMillis, long millis, long seed) throws InterruptedException {
    List<Caller> callers = new ArrayList<>();
    long begin = System.nanoTime() + rampMillis * 1_000_000;
    for (int i = 0; i < threads; i++) {
      Caller caller = new Caller(map, new Random(seed + i), writePercent, begin, begin + millis * 1_000_000);
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
    private final IMap<String, String> map;
    private final Random random;
    private final int writePercent;
    private final long begin;
    private final long end;
    private long[] nanos = new long[1 << 16];
    private int count;

    Caller(IMap<String, String> map, Random random, int writePercent, long begin, long end) {
      this.map = map;
      this.random = random;
      this.writePercent = writePercent;
      this.begin = begin;
      this.end = end;
    }

    @Override
    public void run() {
      long due = System.nanoTime();
      for (long now = due; now < end; due += nanosBetween) {
        // What is late is made up for.
        while (now < due) {
          LockSupport.parkNanos(due - now);
          now = System.nanoTime();
        }
        long asked = now;
        String key = key(random.nextInt(keys));
        if (random.nextInt(100) < writePercent) {
          map.set(key, value);
        } else {
          map.get(key);
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
