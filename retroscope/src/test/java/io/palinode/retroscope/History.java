package io.palinode.retroscope;

import io.palinode.retroscope.disklog.DiskLog;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/** A store, its log in small segments, and all its changes. */
final class History {
  private static final int SIBLINGS_MAX = 3;

  final Random random;
  WindowLog log;
  final List<Change> changes = new ArrayList<>();
  final List<Long> times = new ArrayList<>();
  private final List<Map<String, String>> states = new ArrayList<>();
  private final Map<String, String> state = new HashMap<>();
  private final ArrayDeque<Runnable> postponed = new ArrayDeque<>();
  private final int keys;
  private final WindowLogConfig config;
  private final LogLayout layout;
  private final Executor executor;
  private long now = 1_000;

  record Change(long hlc, String key, @Nullable String old) {}

  History(long seed) {
    random = new Random(seed);
    keys = 1 << random.nextInt(8);
    int segmentBytes = pick(64, 100, 333, 4_096);
    long bytesMax = (long) segmentBytes * pick(2, 5, 30, 1_000_000);
    Duration ageMax = Duration.ofNanos(1_000L * pick(100, 2_000, 1_000_000_000));
    layout = new LogLayout(segmentBytes, pick(0, 500, 3_000, 1_000_000), ByteBuffer::allocate);
    executor = random.nextBoolean() ? Runnable::run : postponed::add;
    config = new WindowLogConfig(ageMax, bytesMax);
    log = new WindowLog(config, now, executor, layout, null);
    remember();
  }

  /** Ends the process; another one continues with {@code disk}. */
  void restart(DiskLog disk) {
    postponed.clear();
    now += random.nextInt(1_000);
    log = new WindowLog(config, Math.max(now, disk.last()), executor, layout, disk);
    now = log.last();
    remember();
  }

  void idle(long hlc) {
    now += hlc;
  }

  /** A write that is logged, and then not made. */
  void fail() {
    now += 1 + random.nextInt(50);
    String key = key(random.nextInt(keys));
    String old = state.get(key);
    log.append(now, bytes(key), old == null ? null : bytes(old));
    changes.add(new Change(now, key, old));
    remember();
  }

  /** Changes the state without the log. */
  void changeUnseen() {
    WindowLog seeing = log;
    log = new WindowLog(config, now, executor, layout, null);
    for (int i = random.nextInt(5); i >= 0; i--) {
      change();
    }
    log = seeing;
  }

  int pick(int... choices) {
    return choices[random.nextInt(choices.length)];
  }

  void change() {
    now +=
        random.nextInt(3) == 0 ? 0 : 1 + random.nextInt(random.nextInt(20) == 0 ? 5_000_000 : 50);
    String key = key(random.nextInt(keys));
    String old = state.get(key);
    log.append(now, bytes(key), old == null ? null : bytes(old));
    changes.add(new Change(now, key, old));
    if (random.nextInt(4) == 0) {
      state.remove(key);
    } else {
      state.put(key, value());
    }
    remember();
    if (random.nextInt(10) == 0) {
      postponed.forEach(Runnable::run);
      postponed.clear();
    }
  }

  /** Some are empty, some longer than a segment. */
  private static String key(int number) {
    return number == 0 ? "" : "k" + "-".repeat(number % 13 == 0 ? 90 : number % 11) + number;
  }

  private String value() {
    int siblings = random.nextInt(SIBLINGS_MAX + 1);
    StringBuilder value = new StringBuilder();
    for (int i = 0; i < siblings; i++) {
      value.append('v').append(random.nextInt(1_000)).append('|');
    }
    return random.nextInt(30) == 0 ? value.toString().repeat(20) : value.toString();
  }

  private void remember() {
    if (!times.isEmpty() && times.get(times.size() - 1) == now) {
      states.set(states.size() - 1, new HashMap<>(state));
    } else {
      times.add(now);
      states.add(new HashMap<>(state));
    }
  }

  List<Long> timesInReach() {
    return times.stream().filter(time -> time >= log.reach()).toList();
  }

  Map<String, String> present() {
    return new HashMap<>(state);
  }

  Map<String, String> replayed(long target) {
    return states.get(times.indexOf(target));
  }

  /** The state at a time. */
  Map<String, String> stateAt(long hlc) {
    int at = 0;
    while (at + 1 < times.size() && times.get(at + 1) <= hlc) {
      at++;
    }
    return states.get(at);
  }

  /** The expected difference: the value at {@code valuesAt} of each changed key. */
  Map<String, String> expected(long start, long end, long valuesAt) {
    Map<String, String> expected = new HashMap<>();
    for (String key : changedIn(start, end)) {
      expected.put(key, stateAt(valuesAt).getOrDefault(key, "absent"));
    }
    return expected;
  }

  private Set<String> changedIn(long start, long end) {
    Set<String> changed = new HashSet<>();
    for (Change change : changes) {
      if (change.hlc() > start && change.hlc() <= end) {
        changed.add(change.key());
      }
    }
    return changed;
  }

  List<Change> changesIn(long start, long end) {
    return changes.stream().filter(each -> each.hlc() > start && each.hlc() <= end).toList();
  }

  byte @Nullable [] presentValue(byte[] key) {
    String value = state.get(text(key));
    return value == null ? null : bytes(value);
  }

  /** Fails when a key comes twice. */
  static Map<String, String> read(Diff diff) {
    Map<String, String> read = new HashMap<>();
    diff.forEach(
        (key, value) -> {
          if (read.put(text(key), value == null ? "absent" : text(value)) != null) {
            throw new AssertionError("key twice: " + text(key));
          }
        });
    return read;
  }

  static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  static String text(byte[] bytes) {
    return new String(bytes, StandardCharsets.UTF_8);
  }
}
