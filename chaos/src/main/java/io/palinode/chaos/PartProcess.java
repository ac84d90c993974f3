package io.palinode.chaos;

import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** One part of the cluster as a process. For one thread. */
final class PartProcess {
  private static final long END_SECONDS_MAX = 30;

  private final String name;
  private final List<String> arguments;
  private final Path log;
  private final @Nullable Volume volume;
  private @Nullable Process process;
  private boolean frozen;

  /**
   * @param arguments of {@code palinode run}
   * @param volume that has the part's files; null: the disk of the cluster
   */
  PartProcess(String name, List<String> arguments, Path log, @Nullable Volume volume) {
    this.name = name;
    this.arguments = List.copyOf(arguments);
    this.log = log;
    this.volume = volume;
  }

  String name() {
    return name;
  }

  @Nullable Volume volume() {
    return volume;
  }

  boolean isAlive() {
    Process running = process;
    return running != null && running.isAlive();
  }

  boolean isFrozen() {
    return frozen;
  }

  /**
   * @param more arguments, of this start alone
   */
  void start(List<String> more) throws IOException {
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-XX:-UsePerfData",
                "-Xmx512m",
                "-cp",
                System.getProperty("java.class.path"),
                "io.palinode.cli.Main",
                "run"));
    command.addAll(arguments);
    command.addAll(more);
    File file = log.toFile();
    process =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.appendTo(file))
            .start();
    frozen = false;
  }

  /** By SIGKILL; the process is gone when this returns. */
  void kill() {
    Process running = process;
    if (running != null) {
      // SIGKILL ends a frozen process too.
      running.destroyForcibly().onExit().orTimeout(END_SECONDS_MAX, TimeUnit.SECONDS).join();
    }
    frozen = false;
  }

  /** By SIGSTOP. */
  void freeze() throws IOException, InterruptedException {
    signal("-STOP");
    frozen = true;
  }

  void thaw() throws IOException, InterruptedException {
    signal("-CONT");
    frozen = false;
  }

  private void signal(String signal) throws IOException, InterruptedException {
    Process running = process;
    if (running != null && running.isAlive()) {
      new ProcessBuilder("kill", signal, Long.toString(running.pid())).start().waitFor();
    }
  }
}
