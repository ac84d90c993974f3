package io.palinode.retroscope;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Arrays;
import java.util.Set;
import org.jetbrains.lincheck.datastructures.ManagedStrategyGuaranteeKt;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.junit.jupiter.api.Test;

/**
 * Appends, trims, rewriting, and held differences in two threads, in every order that Lincheck
 * tries. Each outcome must equal one of a sequential order.
 *
 * <p>{@link WindowLogStressTest} has more threads and appends, in random order.
 */
class WindowLogInterleavingTest {
  private static final int SEGMENT_BYTES = 64;

  /** Each entry fills a segment; two fit if keys are numbers. */
  private static final int VALUE_BYTES = 3 * Integer.BYTES;

  private static final int KEYS = 3;
  private static final int SCENARIOS = Integer.getInteger("palinode.scenarios", 3);

  /** Of each scenario. */
  private static final int ORDERS = Integer.getInteger("palinode.orders", 50);

  /** In between these an order may change; what they call happens at once. */
  private static final Set<Class<?>> STEPWISE =
      Set.of(WindowLog.class, Interning.class, Differences.class, Diff.class);

  @Test
  void ofEntriesAsAppended() {
    check(AsAppended.class);
  }

  @Test
  void ofEntriesThatAreRewritten() {
    check(Rewritten.class);
  }

  private static void check(Class<? extends Log> log) {
    new ModelCheckingOptions()
        .addGuarantee(
            ManagedStrategyGuaranteeKt.forClasses(WindowLogInterleavingTest::isAtOnce)
                .allMethods()
                .treatAsAtomic())
        .iterations(SCENARIOS)
        .invocationsPerIteration(ORDERS)
        .threads(2)
        .actorsBefore(6)
        .actorsPerThread(4)
        .actorsAfter(2)
        .minimizeFailedScenario(false)
        .sequentialSpecification(Model.class)
        .check(log);
  }

  private static boolean isAtOnce(String className) {
    return className.matches("java\\.util\\.[A-Z].*")
        || (className.startsWith(WindowLog.class.getPackageName())
            && !className.startsWith(WindowLogInterleavingTest.class.getName())
            && STEPWISE.stream().noneMatch(each -> each.getName().equals(className)));
  }

  /** Change i happens at time i, and a reader sees all up to some last time. */
  public static final class Model {
    private long last;

    public long append() {
      return ++last;
    }

    public long diff() {
      return last;
    }

    public long visit() {
      return last;
    }

    public void diffOfPast() {
      // The operation only checks its result.
    }
  }

  public static final class AsAppended extends Log {
    public AsAppended() {
      super(3 * SEGMENT_BYTES, 0);
    }
  }

  public static final class Rewritten extends Log {
    public Rewritten() {
      super(6 * SEGMENT_BYTES, 3 * SEGMENT_BYTES);
    }
  }

  /**
   * Change i is of key i mod {@link #KEYS}, whose value until then was i − {@link #KEYS}, so the
   * expected value is known.
   */
  public abstract static class Log {
    private final WindowLog log;
    private long clock;

    Log(long bytesMax, long generationBytes) {
      LogLayout layout = new LogLayout(SEGMENT_BYTES, generationBytes, ByteBuffer::allocate);
      WindowLogConfig config = new WindowLogConfig(Duration.ofHours(1), bytesMax);
      log = new WindowLog(config, 0, Runnable::run, layout, null);
    }

    @Operation
    public long append() {
      byte[] key = new byte[Integer.BYTES];
      byte[] old = new byte[VALUE_BYTES];
      return log.append(
          () -> {
            clock++;
            ByteBuffer.wrap(key).putInt(keyAt(clock));
            System.arraycopy(oldAt(clock), 0, old, 0, VALUE_BYTES);
            return clock;
          },
          key,
          old);
    }

    /** Reads twice: the difference must not change while it is held. */
    @Operation
    public long diff() {
      while (true) {
        long start = log.reach();
        try (Diff diff = log.diffTo(start)) {
          long end = start + diff.entries();
          check(diff, start, end);
          check(diff, start, end);
          return end;
        } catch (OutOfReachException trimmedMeanwhile) {
          // Then from where it reaches now.
        }
      }
    }

    @Operation
    public void diffOfPast() {
      while (true) {
        long start = log.reach();
        long end = Math.min(start + KEYS - 1, log.last());
        try (Diff diff = log.diffBetween(start, end)) {
          check(diff, start, end);
          check(diff, start, end);
          return;
        } catch (OutOfReachException trimmedMeanwhile) {
          // Then from where it reaches now.
        }
      }
    }

    @Operation
    public long visit() {
      while (true) {
        long start = log.reach();
        long[] last = {start};
        try {
          log.forEachBetween(
              start,
              Long.MAX_VALUE,
              (hlc, key, old) -> {
                last[0]++;
                require(hlc == last[0], "time", hlc);
                require(ByteBuffer.wrap(key).getInt() == keyAt(hlc), "key at", hlc);
                require(Arrays.equals(old, oldAt(hlc)), "value before", hlc);
              });
          return last[0];
        } catch (OutOfReachException trimmedMeanwhile) {
          // Then from where it reaches now.
        }
      }
    }

    private static void check(Diff diff, long start, long end) {
      require(diff.entries() == end - start, "entries", diff.entries());
      require(diff.size() == Math.min(KEYS, end - start), "keys", diff.size());
      diff.forEach(
          (key, old) -> {
            long sinceStart = ByteBuffer.wrap(key).getInt() - start - 1;
            long first = start + 1 + Math.floorMod(sinceStart, (long) KEYS);
            require(first <= end && Arrays.equals(old, oldAt(first)), "value before", first);
          });
    }

    private static int keyAt(long time) {
      return (int) (time % KEYS);
    }

    /** What the key had before that change. */
    private static byte[] oldAt(long time) {
      int before = (int) Math.max(0, time - KEYS);
      return ByteBuffer.allocate(VALUE_BYTES).putInt(before).putInt(before).putInt(before).array();
    }

    private static void require(boolean isRight, String what, long found) {
      if (!isRight) {
        throw new AssertionError("not right: " + what + " " + found);
      }
    }
  }
}
