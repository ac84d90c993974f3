package io.palinode.retroscope;

import io.palinode.hvc.Hlc;
import io.palinode.retroscope.WindowLog.PresentValues;
import io.palinode.retroscope.disklog.DiskLog;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The paper's interface, under its names: one clock and several named logs for a store of any kind.
 * (Charapko et al., ICDCS 2017, §III.)
 *
 * <p>A store calls {@link #appendToLog} with each change, under the lock that orders its changes of
 * a key; wraps what it sends and unwraps what it receives. Then, with the same time asked of every
 * store, {@link #computeDiff} leads to a consistent snapshot.
 *
 * <p>Thread-safe. A tick and its append are one step of the log, so a log is in HLC order for any
 * number of writers.
 */
public final class Retroscope {
  private final LongSupplier epochMicros;
  private final long maxDriftMicros;
  private final Executor executor;
  private final AtomicLong last = new AtomicLong();
  private final LongSupplier clock = this::timeTick;
  private final Map<String, Log> logs = new ConcurrentHashMap<>();

  private record Log(WindowLog window, PresentValues present) {}

  /**
   * @param epochMicros the physical clock; it may stand still or jump back
   * @param maxDrift a received time further ahead of it is refused
   * @param executor rewrites full segments, see {@link WindowLog}
   */
  public Retroscope(LongSupplier epochMicros, Duration maxDrift, Executor executor) {
    this.epochMicros = epochMicros;
    this.maxDriftMicros = maxDrift.toNanos() / 1_000;
    this.executor = executor;
  }

  /**
   * Begins a log at the present time. {@code present} returns the store's values for differences
   * that lead forward, see {@link WindowLog#diffForward}. Throws {@link IllegalArgumentException}
   * when there is one of that name.
   */
  public void openLog(String name, WindowLogConfig config, PresentValues present) {
    Log log = new Log(new WindowLog(config, timeTick(), executor), present);
    if (logs.putIfAbsent(name, log) != null) {
      throw new IllegalArgumentException("a log with this name exists: name=" + name);
    }
  }

  /**
   * Like the other, with a log that continues where {@code disk} ended; the clock is after that
   * then. The caller begins {@code disk}, see {@link DiskLog#begin}, and closes the log in the end.
   */
  public void openLog(String name, WindowLogConfig config, PresentValues present, DiskLog disk) {
    last.accumulateAndGet(disk.last(), Math::max);
    Log log = new Log(new WindowLog(config, timeTick(), executor, disk), present);
    if (logs.putIfAbsent(name, log) != null) {
      throw new IllegalArgumentException("a log with this name exists: name=" + name);
    }
  }

  /**
   * Ends a log in order, see {@link WindowLog#close}. The store has everything on its medium, and
   * appends nothing after it.
   */
  public void closeLog(String name) {
    named(name).window().close();
  }

  /** The time of a local or send event: greater than all before it. */
  public long timeTick() {
    long now = epochMicros.getAsLong();
    long before = last.get();
    while (true) {
      long next = Hlc.tick(before, now);
      long witness = last.compareAndExchange(before, next);
      if (witness == before) {
        return next;
      }
      before = witness;
    }
  }

  /**
   * The time of a receive event: greater than {@code received} and all before it. Throws {@link
   * IllegalArgumentException}, and changes nothing, when {@code received} is too far ahead.
   */
  public long timeTick(long received) {
    long now = epochMicros.getAsLong();
    if (received < 0 || Hlc.micros(received) - now > maxDriftMicros) {
      throw new IllegalArgumentException(
          "a received time must be at most %d µs ahead of the physical clock: received=%s clock=%d"
              .formatted(maxDriftMicros, Hlc.format(received), now));
    }
    while (true) {
      long before = last.get();
      long next = Hlc.tick(before, now, received);
      if (last.compareAndSet(before, next)) {
        return next;
      }
    }
  }

  /** The message with the time of its sending, see {@link TimedMessage}. */
  public byte[] wrapHLC(byte[] message) {
    return TimedMessage.encode(timeTick(), message);
  }

  /**
   * The message that was wrapped; its receipt ticks the clock. Throws {@link
   * IllegalArgumentException}, and changes nothing, for other bytes and for a time too far ahead.
   */
  public byte[] unwrapHLC(byte[] wrapped) {
    timeTick(TimedMessage.hlc(wrapped));
    return TimedMessage.message(wrapped);
  }

  /**
   * Records that {@code key} changes from {@code oldValue} to {@code newValue} now; null: it is
   * absent. The new value is not kept: the next change of the key brings it, or the store has it.
   * Returns the time of the change. What it costs: see {@link WindowLog#append(long, byte[],
   * byte[])}.
   */
  public long appendToLog(
      String log, byte[] key, byte @Nullable [] oldValue, byte @Nullable [] newValue) {
    return named(log).window().append(clock, key, oldValue);
  }

  /** What leads from the present to {@code past}: see {@link WindowLog#diffTo}. */
  public Diff computeDiff(String log, long past) {
    return named(log).window().diffTo(past);
  }

  /**
   * What leads from the state at {@code from} to the state at {@code to}, forward or, when {@code
   * to} is earlier, backward: see {@link WindowLog#diffForward} and {@link WindowLog#diffBetween}.
   */
  public Diff computeDiff(String log, long from, long to) {
    Log named = named(log);
    return from <= to
        ? named.window().diffForward(from, to, named.present())
        : named.window().diffBetween(to, from);
  }

  /** The earliest time that {@code log} reaches. */
  public long reach(String log) {
    return named(log).window().reach();
  }

  /** The memory that {@code log} holds, see {@link WindowLog#bytes}. */
  public long bytes(String log) {
    return named(log).window().bytes();
  }

  private Log named(String name) {
    Log log = logs.get(name);
    if (log == null) {
      List<String> known = logs.keySet().stream().sorted().toList();
      throw new IllegalArgumentException("a log must be one of " + known + ": name=" + name);
    }
    return log;
  }
}
