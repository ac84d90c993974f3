package io.palinode.benchmarks.stock;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.palinode.benchmarks.Side;
import io.palinode.benchmarks.stock.AgentBenchmark.Setting;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.LongSupplier;

/**
 * A program with Voldemort's own Java client as a separate process. Its source is in {@code
 * StockClientLoad.java}, among the resources. For one thread.
 */
final class StockClientProcess implements AutoCloseable {
  /** For its options. */
  static final List<String> HEAP = List.of("-Xms256m", "-Xmx256m");

  private static final String PROGRAM = "StockClientLoad.java";
  private static final double NANOS_PER_MS = 1e6;
  private static final double NANOS_PER_MICRO = 1e3;
  private static final double MILLIS_PER_SECOND = 1e3;

  private final Process process;
  private final BufferedReader answers;
  private final PrintWriter rounds;
  private final Path log;

  private StockClientProcess(Process process, Path log) {
    this.process = process;
    this.answers = process.inputReader(UTF_8);
    this.rounds = new PrintWriter(process.outputWriter(UTF_8), true);
    this.log = log;
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
    Path program = Files.createDirectories(home).resolve(PROGRAM);
    try (InputStream source = StockClientProcess.class.getResourceAsStream(PROGRAM)) {
      Files.copy(Objects.requireNonNull(source, PROGRAM), program);
    }
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(options);
    command.addAll(List.of("-cp", voldemort.classPathText(), program.toString()));
    command.addAll(List.of(address, ServerProcess.STORE, protocol));
    command.add(Integer.toString(setting.load().keys()));
    command.add(Integer.toString(setting.load().valueBytes()));
    command.add(Integer.toString(setting.load().clients()));
    Path log = home.resolve("client.log");
    Process process = new ProcessBuilder(command).redirectError(log.toFile()).start();
    // It must not outlive us, however we end.
    Runtime.getRuntime().addShutdownHook(new Thread(process::destroyForcibly));
    StockClientProcess client = new StockClientProcess(process, log);
    try {
      client.awaitLine("ready");
      return client;
    } catch (IOException | RuntimeException e) {
      client.close();
      throw e;
    }
  }

  /**
   * Runs for {@code rampSeconds}, then is measured for {@code seconds}.
   *
   * @param cpuNanos of the process whose processor time counts
   */
  Side round(int writePercent, double rampSeconds, double seconds, long seed, LongSupplier cpuNanos)
      throws IOException {
    rounds.println(
        "%d %d %d %d"
            .formatted(
                writePercent,
                Math.round(rampSeconds * MILLIS_PER_SECOND),
                Math.round(seconds * MILLIS_PER_SECOND),
                seed));
    awaitLine("begun");
    long cpuBegun = cpuNanos.getAsLong();
    String[] answer = line().split(" ", -1);
    double cpuTook = cpuNanos.getAsLong() - cpuBegun;
    long operations = Long.parseLong(answer[0]);
    return new Side(
        operations / seconds,
        Long.parseLong(answer[1]) / NANOS_PER_MS,
        Long.parseLong(answer[2]) / NANOS_PER_MS,
        cpuTook / NANOS_PER_MICRO / Math.max(1, operations));
  }

  long cpuNanos() {
    return process.info().totalCpuDuration().map(Duration::toNanos).orElse(0L);
  }

  /** Logging of Voldemort's, or of the agent, may come before. */
  private void awaitLine(String expected) throws IOException {
    String line = line();
    while (!line.equals(expected)) {
      line = line();
    }
  }

  private String line() throws IOException {
    String line = answers.readLine();
    if (line == null) {
      throw new IOException(
          "the client has ended: log=%s%n%s".formatted(log, Files.readString(log)));
    }
    return line;
  }

  @Override
  public void close() {
    process.destroy();
  }
}
