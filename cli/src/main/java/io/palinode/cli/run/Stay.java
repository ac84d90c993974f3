package io.palinode.cli.run;

import io.palinode.terminal.OnSignal;
import io.palinode.terminal.StartStop;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;

/** A part that runs until it is stopped, or fails. */
final class Stay {
  private static final Duration LOOK = Duration.ofSeconds(1);

  private Stay() {}

  /** Starts a part; null: it was stopped before. */
  @FunctionalInterface
  interface Start<T> {
    @Nullable T start(BooleanSupplier stopped) throws Exception;
  }

  /**
   * 1 when it failed by itself; after a signal, which decides the process's exit status, 0.
   *
   * @param ready what is printed when the part is started
   * @param failure why a started part has failed; null while it works
   */
  @SuppressWarnings("try") // A resource for its close alone.
  static <T extends AutoCloseable> int until(
      CommandSpec spec,
      Start<T> start,
      Function<T, String> ready,
      Function<T, @Nullable String> failure)
      throws Exception {
    PrintWriter out = spec.commandLine().getOut();
    StartStop stop = new StartStop(Thread.currentThread());
    try (OnSignal onSignal = OnSignal.does(stop::now);
        T part = start.start(stop::isAsked)) {
      if (part == null) {
        return 0;
      }
      out.println(ready.apply(part));
      out.println("ready; Ctrl-C stops");
      out.flush();
      return await(stop, () -> failure.apply(part), spec.commandLine().getErr());
    } catch (Exception e) { // A start declares any.
      if (stop.isAsked()) {
        return 0;
      }
      throw e;
    }
  }

  private static int await(StartStop stop, Supplier<@Nullable String> failure, PrintWriter err)
      throws InterruptedException {
    while (!stop.await(LOOK)) {
      String why = failure.get();
      if (why != null) {
        err.println("palinode: this part has failed, and ends: " + why);
        err.flush();
        return 1;
      }
    }
    return 0;
  }
}
