package io.palinode.voldemort;

import static io.palinode.voldemort.TestNodes.key;
import static io.palinode.voldemort.TestNodes.texts;
import static io.palinode.voldemort.TestNodes.vector;
import static io.palinode.voldemort.TestNodes.version;
import static org.assertj.core.api.Assertions.assertThat;

import io.palinode.retroscope.disk.LogFolder;
import io.palinode.retroscope.disklog.DiskBound;
import io.palinode.store.engine.StorageEngine;
import io.palinode.store.node.NodeParts;
import io.palinode.store.past.PastOnDisk;
import io.palinode.voldemort.TestNodes.Medium;
import io.palinode.voldemort.protocol.Siblings;
import io.palinode.voldemort.server.SystemMicros;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A node in a process that is killed while it writes, again and again: records and window-log fit
 * together whenever that was. Write i is of key i mod {@link #KEYS}: a delete when 5 divides it,
 * otherwise a put of "v" and i.
 */
@Timeout(180)
class NodeKillTest {
  private static final int KEYS = 7;
  private static final int KILLS = 6;
  private static final long SEED = 11;

  @TempDir Path folder;
  private final TreeMap<Long, Integer> writeByTime = new TreeMap<>();

  @Test
  void everyTimeBeforeAKillCanBeReadAndRestored() throws Exception {
    Random random = new Random(SEED);
    int last = 0;
    for (int kill = 1; kill <= KILLS; kill++) {
      int acknowledged = writeUntilKilled(last + 1, 50 + random.nextInt(500));
      StoreNode node = open(folder);
      assertThat(node.counters().get(NodeCounter.WINDOW_LOG_LOST)).isZero();
      // The write in flight may be done and not yet printed; a delete of nothing is not printed.
      assertThat(stateOf(node))
          .as("kill=%d acknowledged=%d", kill, acknowledged)
          .isIn(state(acknowledged), state(acknowledged + 1), state(acknowledged + 2));
      for (int i = 0; i < 20; i++) {
        long target = randomTime(random);
        int write = Objects.requireNonNull(writeByTime.get(target));
        for (int k = 0; k < KEYS; k++) {
          assertThat(texts(node.reads().getAsOf(key("k" + k), target, Caller.STOCK).value()))
              .as("kill=%d write=%d key=%d", kill, write, k)
              .isEqualTo(value(write, k));
        }
      }
      long target = randomTime(random);
      last = Objects.requireNonNull(writeByTime.get(target));
      node.pause(kill);
      node.restore(kill, 1, target);
      assertThat(stateOf(node)).as("kill=%d write=%d", kill, last).isEqualTo(state(last));
      node.resume(kill, target, 0);
      node.close();
    }
  }

  private long randomTime(Random random) {
    List<Long> times = List.copyOf(writeByTime.keySet());
    return times.get(random.nextInt(times.size()));
  }

  /** Returns the last write that was acknowledged. */
  private int writeUntilKilled(int first, int writesMin) throws IOException, InterruptedException {
    Process child =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx256m",
                "-cp",
                System.getProperty("java.class.path"),
                Writer.class.getName(),
                folder.toString(),
                Integer.toString(first))
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start();
    int acknowledged = first - 1;
    try (BufferedReader lines =
        new BufferedReader(new InputStreamReader(child.getInputStream(), StandardCharsets.UTF_8))) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        String[] words = line.split(" ", -1);
        acknowledged = Integer.parseInt(words[0]);
        writeByTime.put(Long.parseLong(words[1]), acknowledged);
        if (acknowledged == first + writesMin) {
          // Of the process alone: what it had said is still to be read.
          child.toHandle().destroyForcibly();
        }
      }
    }
    assertThat(child.waitFor(30, TimeUnit.SECONDS)).isTrue();
    assertThat(acknowledged).isGreaterThanOrEqualTo(first + writesMin);
    return acknowledged;
  }

  private static StoreNode open(Path folder) {
    DiskBound bound = new DiskBound(Duration.ofDays(1), 32 << 20, 0);
    StorageEngine engine = Medium.BDB.open(folder.resolve("bdb"));
    SystemMicros clock = new SystemMicros();
    while (clock.getAsLong() < NodeParts.opensFromMicros(engine)) {
      Thread.onSpinWait();
    }
    return new StoreNode(
        TestNodes.config(),
        engine,
        clock,
        new PastOnDisk(
            bound,
            (store, log) -> {
              try {
                return LogFolder.open(
                    folder.resolve(store + "-" + log.name().toLowerCase(Locale.ROOT)));
              } catch (IOException e) {
                throw new UncheckedIOException(e);
              }
            }));
  }

  private static List<String> value(int writes, int key) {
    int last = writes - Math.floorMod(writes - key, KEYS);
    return last <= 0 || last % 5 == 0 ? List.of() : List.of("v" + last);
  }

  private static Map<Integer, List<String>> state(int writes) {
    Map<Integer, List<String>> state = new TreeMap<>();
    for (int k = 0; k < KEYS; k++) {
      state.put(k, value(writes, k));
    }
    return state;
  }

  private static Map<Integer, List<String>> stateOf(StoreNode node) {
    Map<Integer, List<String>> state = new TreeMap<>();
    for (int k = 0; k < KEYS; k++) {
      byte[] record = node.read(List.of(key("k" + k))).get(0).siblings();
      state.put(k, texts(Siblings.decode(record)));
    }
    return state;
  }

  /** The process that is killed. */
  static final class Writer {
    private Writer() {}

    public static void main(String[] args) throws RefusedException {
      StoreNode node = open(Path.of(args[0]));
      for (int i = Integer.parseInt(args[1]); ; i++) {
        var write = key("k" + i % KEYS);
        Reply<Boolean> reply =
            i % 5 == 0
                ? node.writes().delete(write, vector(i), Caller.STOCK)
                : node.writes().put(write, version("v" + i, i), Caller.STOCK);
        if (reply.value()) {
          System.out.println(i + " " + reply.acceptedAt());
          System.out.flush();
        }
      }
    }
  }
}
