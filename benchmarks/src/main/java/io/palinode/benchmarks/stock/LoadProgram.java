package io.palinode.benchmarks.stock;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.palinode.benchmarks.Side;
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
 * A program with a store's own client as a separate process. It is compiled where it runs, against
 * the libraries that are there. For one thread.
 */
public final class LoadProgram implements AutoCloseable {
  private static final double NANOS_PER_MS = 1e6;
  private static final double NANOS_PER_MICRO = 1e3;
  private static final double MILLIS_PER_SECOND = 1e3;

  private final Process process;
  private final BufferedReader answers;
  private final PrintWriter lines;
  private final Path log;

  private LoadProgram(Process process, Path log) {
    this.process = process;
    this.answers = process.inputReader(UTF_8);
    this.lines = new PrintWriter(process.outputWriter(UTF_8), true);
    this.log = log;
  }

  /**
   * Returns when it has printed {@code ready}. Throws {@link IOException} when it ends before.
   *
   * @param beside the class beside whose resources the source is
   * @param source the name of its file
   * @param home an empty folder
   * @param options of its virtual machine, its class path among them
   */
  public static LoadProgram start(
      Class<?> beside, String source, Path home, List<String> options, List<String> arguments)
      throws IOException {
    Path program = Files.createDirectories(home).resolve(source);
    try (InputStream text = beside.getResourceAsStream(source)) {
      Files.copy(Objects.requireNonNull(text, source), program);
    }
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(options);
    command.add(program.toString());
    command.addAll(arguments);
    Path log = home.resolve("client.log");
    Process process = new ProcessBuilder(command).redirectError(log.toFile()).start();
    // It must not outlive us, however we end.
    Runtime.getRuntime().addShutdownHook(new Thread(process::destroyForcibly));
    LoadProgram started = new LoadProgram(process, log);
    try {
      started.awaitLine("ready");
      return started;
    } catch (IOException | RuntimeException e) {
      started.close();
      throw e;
    }
  }

  /** Returns when it has answered the line with {@code done}. */
  public void run(String line) throws IOException {
    lines.println(line);
    awaitLine("done");
  }

  /**
   * Runs for {@code rampSeconds}, then is measured for {@code seconds}.
   *
   * @param prefix of the line that asks for the round; empty: none
   * @param cpuNanos of the process whose processor time counts
   */
  public Side round(
      String prefix,
      int writePercent,
      double rampSeconds,
      double seconds,
      long seed,
      LongSupplier cpuNanos)
      throws IOException {
    lines.println(
        "%s%d %d %d %d"
            .formatted(
                prefix,
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

  public long cpuNanos() {
    return process.info().totalCpuDuration().map(Duration::toNanos).orElse(0L);
  }

  /** Lines of a library's log may come before. */
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
