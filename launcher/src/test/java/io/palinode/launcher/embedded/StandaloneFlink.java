package io.palinode.launcher.embedded;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.MissingNode;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.jar.JarFile;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A standalone Flink cluster: a job manager and task managers, each in its own process without
 * Palinode on the class path. Jobs come as a jar, by Flink's own command.
 */
final class StandaloneFlink implements AutoCloseable {
  private static final ObjectMapper JSON = new ObjectMapper();

  private static final List<String> OPENS =
      List.of("java.lang", "java.net", "java.io", "java.nio", "java.util", "java.util.concurrent");

  /** Flink itself needs these, and so does the job. */
  private static final Set<String> SHARED = Set.of("lz4-java", "snappy-java", "zstd-jni");

  private static final Pattern SAVEPOINT = Pattern.compile("Path: (\\S+)");

  private final Path folder;
  private final Path jar;
  private final int restPort;
  private final List<Process> processes = new ArrayList<>();
  private int taskManagers;

  private StandaloneFlink(Path folder, Path jar, int restPort) {
    this.folder = folder;
    this.jar = jar;
    this.restPort = restPort;
  }

  /** With a job manager, and no task manager yet. */
  static StandaloneFlink start(Path folder, Path jar, int slots) throws IOException {
    List<Integer> ports = Ports.free(2);
    StandaloneFlink flink = new StandaloneFlink(folder, jar, ports.get(1));
    Map<String, String> settings = new TreeMap<>();
    for (String host :
        List.of(
            "jobmanager.rpc.address",
            "jobmanager.bind-host",
            "rest.address",
            "rest.bind-address",
            "taskmanager.host",
            "taskmanager.bind-host")) {
      settings.put(host, "localhost");
    }
    settings.put("jobmanager.rpc.port", ports.get(0).toString());
    settings.put("rest.port", ports.get(1).toString());
    settings.put("taskmanager.numberOfTaskSlots", Integer.toString(slots));
    settings.put("execution.checkpointing.dir", folder.resolve("checkpoints").toUri().toString());
    settings.put("io.tmp.dirs", Files.createDirectories(folder.resolve("tmp")).toString());
    settings.put("heartbeat.interval", "500");
    settings.put("heartbeat.timeout", "3000");
    settings.put("restart-strategy.type", "fixed-delay");
    settings.put("restart-strategy.fixed-delay.attempts", "100");
    settings.put("restart-strategy.fixed-delay.delay", "200 ms");
    settings.putAll(memory());
    Path conf = Files.createDirectories(folder.resolve("conf"));
    Files.write(
        conf.resolve("config.yaml"),
        settings.entrySet().stream().map(e -> e.getKey() + ": " + e.getValue()).toList());
    flink.launch(
        "jobmanager", "org.apache.flink.runtime.entrypoint.StandaloneSessionClusterEntrypoint");
    return flink;
  }

  /** A task manager does not work its memory out by itself. */
  private static Map<String, String> memory() {
    Map<String, String> memory = new TreeMap<>();
    memory.put("taskmanager.cpu.cores", "2.0");
    memory.put("taskmanager.memory.task.heap.size", "256m");
    memory.put("taskmanager.memory.task.off-heap.size", "0m");
    memory.put("taskmanager.memory.network.min", "32m");
    memory.put("taskmanager.memory.network.max", "32m");
    memory.put("taskmanager.memory.managed.size", "16m");
    memory.put("taskmanager.memory.framework.heap.size", "128m");
    memory.put("taskmanager.memory.framework.off-heap.size", "64m");
    memory.put("taskmanager.memory.jvm-metaspace.size", "192m");
    memory.put("taskmanager.memory.jvm-overhead.min", "64m");
    memory.put("taskmanager.memory.jvm-overhead.max", "64m");
    memory.put("jobmanager.memory.process.size", "1g");
    return memory;
  }

  Process startTaskManager() throws IOException {
    taskManagers++;
    return launch(
        "taskmanager-" + taskManagers, "org.apache.flink.runtime.taskexecutor.TaskManagerRunner");
  }

  /** As {@code mvn package} makes it. */
  static Path jobJar() throws IOException {
    try (Stream<Path> built = Files.list(Path.of("..", "monitor-flink", "target"))) {
      List<Path> jars =
          built.filter(path -> path.getFileName().toString().endsWith("-job.jar")).toList();
      assertThat(jars).hasSize(1);
      return jars.get(0).toAbsolutePath().normalize();
    }
  }

  /** {@code flink run -d}. */
  void submit(String... arguments) throws IOException, InterruptedException {
    submit(List.of(), arguments);
  }

  /** {@code flink run -d -s SAVEPOINT}. */
  void submitFrom(String savepoint, String... arguments) throws IOException, InterruptedException {
    submit(List.of("-s", savepoint), arguments);
  }

  private void submit(List<String> options, String... arguments)
      throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(List.of("run", "-d"));
    command.addAll(options);
    command.add(jar.toString());
    command.addAll(Arrays.asList(arguments));
    var unused = flink("submit", command);
  }

  /** {@code flink stop --savepointPath}; returns the savepoint. */
  String stop() throws IOException, InterruptedException {
    String folder = this.folder.resolve("savepoints").toUri().toString();
    String job = running().at("/jid").asText();
    String printed = flink("stop", List.of("stop", "--savepointPath", folder, job));
    Matcher savepoint = SAVEPOINT.matcher(printed);
    assertThat(savepoint.find()).as(printed).isTrue();
    return savepoint.group(1);
  }

  /** What Flink's own command prints. Throws {@link IOException} with that if it fails. */
  private String flink(String name, List<String> arguments)
      throws IOException, InterruptedException {
    List<String> command = java("org.apache.flink.client.cli.CliFrontend");
    command.addAll(arguments);
    Process client = run(name, command);
    boolean ended = client.waitFor(60, TimeUnit.SECONDS);
    String printed = Files.readString(folder.resolve(name + ".log"));
    if (!ended || client.exitValue() != 0) {
      throw new IOException(printed);
    }
    return printed;
  }

  /** Whether there is a job, and all of it runs. */
  boolean isRunning() {
    try {
      JsonNode job = running();
      return job.at("/tasks/running").asInt(-1) == job.at("/tasks/total").asInt();
    } catch (IOException notYet) {
      return false;
    }
  }

  /** The job that has not ended; a missing node if there is none. */
  private JsonNode running() throws IOException {
    for (JsonNode job : get("/jobs/overview").at("/jobs")) {
      if (job.path("end-time").asLong() < 0) {
        return job;
      }
    }
    return MissingNode.getInstance();
  }

  int taskManagers() {
    try {
      return get("/taskmanagers").at("/taskmanagers").size();
    } catch (IOException notYet) {
      return 0;
    }
  }

  /** The number of failures in the job's history of exceptions. */
  int failures() throws IOException {
    String job = running().at("/jid").asText();
    return get("/jobs/" + job + "/exceptions").at("/exceptionHistory/entries").size();
  }

  @Override
  public void close() {
    for (Process process : processes) {
      process.destroyForcibly();
    }
    for (Process process : processes) {
      process.onExit().join();
    }
  }

  private JsonNode get(String path) throws IOException {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create("http://localhost:" + restPort + path)).build();
    try {
      return JSON.readTree(
          HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString()).body());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException(e);
    }
  }

  private Process launch(String name, String main) throws IOException {
    List<String> command = java(main);
    command.addAll(List.of("--configDir", folder.resolve("conf").toString()));
    return run(name, command);
  }

  private List<String> java(String main) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xmx512m"));
    OPENS.forEach(name -> command.add("--add-opens=java.base/" + name + "=ALL-UNNAMED"));
    command.addAll(List.of("-cp", classPath(), main));
    return command;
  }

  private Process run(String name, List<String> command) throws IOException {
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(folder.resolve(name + ".log").toFile());
    builder.environment().put("FLINK_CONF_DIR", folder.resolve("conf").toString());
    Process process = builder.start();
    processes.add(process);
    return process;
  }

  /** Everything but Palinode, Kafka, and what the job's jar brings along. */
  private String classPath() throws IOException {
    Set<String> brought;
    try (JarFile job = new JarFile(jar.toFile())) {
      brought =
          job.stream()
              .map(entry -> Path.of(entry.getName()).getFileName().toString())
              .filter(name -> name.endsWith(".jar") && SHARED.stream().noneMatch(name::startsWith))
              .collect(Collectors.toSet());
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
    return Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
        .filter(entry -> entry.endsWith(".jar"))
        .filter(entry -> !entry.contains("palinode") && !entry.contains("SNAPSHOT"))
        .filter(entry -> !Path.of(entry).getFileName().toString().startsWith("kafka"))
        .filter(entry -> !brought.contains(Path.of(entry).getFileName().toString()))
        .collect(Collectors.joining(File.pathSeparator));
  }
}
