package io.palinode.benchmarks.stock;

import io.palinode.benchmarks.Side;
import io.palinode.benchmarks.stock.AgentBenchmark.Setting;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;

/**
 * A program with Voldemort's own Java client as a separate process. Its source is in {@code
 * StockClientLoad.java}, among the resources. For one thread.
 */
final class StockClientProcess implements AutoCloseable {
  /** For its options. */
  static final List<String> HEAP = List.of("-Xms256m", "-Xmx256m");

  private static final String PROGRAM = "StockClientLoad.java";

  private final LoadProgram program;

  private StockClientProcess(LoadProgram program) {
    this.program = program;
  }

  /**
   * Returns when it is connected. Throws {@link IOException} when it ends before.
   *
   * @param home an empty folder
   * @param address of the server
   * @param protocol of Voldemort's request formats
   * @param options of its virtual machine
   */
  static StockClientProcess start(
      StockVoldemort voldemort,
      Path home,
      String address,
      String protocol,
      Setting setting,
      List<String> options)
      throws IOException {
    List<String> all = new ArrayList<>(options);
    all.addAll(List.of("-cp", voldemort.classPathText()));
    List<String> arguments =
        List.of(
            address,
            ServerProcess.STORE,
            protocol,
            Integer.toString(setting.load().keys()),
            Integer.toString(setting.load().valueBytes()),
            Integer.toString(setting.load().clients()));
    return new StockClientProcess(
        LoadProgram.start(StockClientProcess.class, PROGRAM, home, all, arguments));
  }

  /** See {@link LoadProgram#round}. */
  Side round(int writePercent, double rampSeconds, double seconds, long seed, LongSupplier cpuNanos)
      throws IOException {
    return program.round("", writePercent, rampSeconds, seconds, seed, cpuNanos);
  }

  long cpuNanos() {
    return program.cpuNanos();
  }

  @Override
  public void close() {
    program.close();
  }
}
