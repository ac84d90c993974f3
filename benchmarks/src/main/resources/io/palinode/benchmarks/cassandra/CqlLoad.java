import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.cassandra.config.DatabaseDescriptor;
import org.apache.cassandra.db.ConsistencyLevel;
import org.apache.cassandra.transport.ProtocolVersion;
import org.apache.cassandra.transport.SimpleClient;
import org.apache.cassandra.transport.messages.ResultMessage;

/**
 * A program with the client of Cassandra's own jar, whose threads read and write at random, each over its own connection. It is compiled where it
 * runs, against the Cassandra that is there: {@code java -cp CASSANDRA CqlLoad.java HOST PORT KEYS VALUE_BYTES THREADS}.
 *
 * <p>An input line is {@code cql STATEMENT} or {@code fill TABLE}, answered with {@code done}; or a round: the table, the percent of writes, the
 * milliseconds of warm-up, the measured milliseconds, and a seed. It prints {@code begun} when measuring starts, and then the number of operations
 * and the median and the 99th percentile of their nanoseconds.
 */
public final class CqlLoad {
  private static final int TRIES_MAX = 6;

  private final List<SimpleClient> clients = new ArrayList<>();
  private final int keys;
  private final ByteBuffer value;

  private CqlLoad(int keys, int valueBytes) {
    this.keys = keys;
    this.value = text("x".repeat(valueBytes));
  }

  public static void main(String[] args) throws Exception {
    DatabaseDescriptor.clientInitialization();
    CqlLoad load = new CqlLoad(Integer.parseInt(args[2]), Integer.parseInt(args[3]));
    for (int i = 0; i < Integer.parseInt(args[4]); i++) {
      load.clients.add(connect(args[0], Integer.parseInt(args[1])));
    }
    BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
    System.out.println("ready");
    for (String line = in.readLine(); line != null; line = in.readLine()) {
      String[] words = line.split(" ");
      if (words[0].equals("cql")) {
        execute(args[0], Integer.parseInt(args[1]), line.substring("cql ".length()));
        System.out.println("done");
      } else if (words[0].equals("fill")) {
        load.fill(words[1]);
        System.out.println("done");
      } else {
        load.round(words[0], Integer.parseInt(words[1]), Long.parseLong(words[2]), Long.parseLong(words[3]), Long.parseLong(words[4]));
      }
    }
    System.exit(0);
  }

  private static SimpleClient connect(String host, int port) throws IOException {
    return SimpleClient.builder(host, port).protocolVersion(ProtocolVersion.V4).build().connect(false);
  }

  /** Again after a time-out of this client, 10 s: a change of the schema may take longer on a busy machine. */
  private static void execute(String host, int port, String statement) throws IOException {
    for (int tries = 1; ; tries++) {
      try (SimpleClient client = connect(host, port)) {
        client.execute(statement, ConsistencyLevel.ONE);
        return;
      } catch (RuntimeException e) {
        if (tries == TRIES_MAX || !"timeout".equals(e.getMessage())) {
          throw e;
        }
      }
    }
  }

  private static ByteBuffer text(String text) {
    return ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
  }

  private static ByteBuffer key(int i) {
    return text(String.format("key-%08d", i));
  }

  private static String insert(String table) {
    return "INSERT INTO " + table + " (key, value) VALUES (?, ?)";
  }

  private void fill(String table) throws InterruptedException {
    AtomicInteger next = new AtomicInteger();
    List<Thread> threads = new ArrayList<>();
    for (SimpleClient client : clients) {
      Thread thread =
          new Thread(
              () -> {
                ResultMessage.Prepared insert = client.prepare(insert(table));
                for (int i = next.getAndIncrement(); i < keys; i = next.getAndIncrement()) {
                  client.executePrepared(insert, List.of(key(i), value.duplicate()), ConsistencyLevel.ONE);
                }
              });
      threads.add(thread);
      thread.start();
    }
    for (Thread thread : threads) {
      thread.join();
    }
  }

  private void round(String table, int writePercent, long rampMillis, long millis, long seed) throws InterruptedException {
    List<Caller> callers = new ArrayList<>();
    for (int i = 0; i < clients.size(); i++) {
      callers.add(new Caller(clients.get(i), table, new Random(seed + i), writePercent));
    }
    long begin = System.nanoTime() + rampMillis * 1_000_000;
    for (Caller caller : callers) {
      caller.begin = begin;
      caller.end = begin + millis * 1_000_000;
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
    private final SimpleClient client;
    private final ResultMessage.Prepared insert;
    private final ResultMessage.Prepared select;
    private final Random random;
    private final int writePercent;
    private long begin;
    private long end;
    private long[] nanos = new long[1 << 16];
    private int count;

    Caller(SimpleClient client, String table, Random random, int writePercent) {
      this.client = client;
      this.insert = client.prepare(insert(table));
      this.select = client.prepare("SELECT value FROM " + table + " WHERE key = ?");
      this.random = random;
      this.writePercent = writePercent;
    }

    @Override
    public void run() {
      for (long now = System.nanoTime(); now < end; ) {
        long asked = now;
        ByteBuffer key = key(random.nextInt(keys));
        if (random.nextInt(100) < writePercent) {
          client.executePrepared(insert, List.of(key, value.duplicate()), ConsistencyLevel.ONE);
        } else {
          client.executePrepared(select, List.of(key), ConsistencyLevel.ONE);
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
