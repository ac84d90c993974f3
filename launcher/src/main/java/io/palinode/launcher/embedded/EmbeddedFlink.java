package io.palinode.launcher.embedded;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.palinode.monitor.flink.job.DetectionJob;
import io.palinode.monitor.flink.job.DetectionJobConfig;
import io.palinode.retroscope.disk.OwnerOnly;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.StreamSupport;
import org.apache.flink.api.common.JobID;
import org.apache.flink.api.common.JobStatus;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.CoreOptions;
import org.apache.flink.configuration.JobManagerOptions;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.configuration.PipelineOptions;
import org.apache.flink.configuration.RestOptions;
import org.apache.flink.configuration.RestartStrategyOptions;
import org.apache.flink.configuration.RpcOptions;
import org.apache.flink.configuration.TaskManagerOptions;
import org.apache.flink.core.execution.CheckpointType;
import org.apache.flink.core.execution.RecoveryClaimMode;
import org.apache.flink.runtime.execution.ExecutionState;
import org.apache.flink.runtime.executiongraph.AccessExecutionGraph;
import org.apache.flink.runtime.executiongraph.ErrorInfo;
import org.apache.flink.runtime.jobgraph.JobGraph;
import org.apache.flink.runtime.jobgraph.SavepointRestoreSettings;
import org.apache.flink.runtime.minicluster.MiniCluster;
import org.apache.flink.runtime.minicluster.MiniClusterConfiguration;
import org.apache.flink.runtime.minicluster.RpcServiceSharing;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A Flink cluster in this process that runs the detection job and nothing else. Its checkpoints are
 * in the folder: started again there, the job continues from the latest one, and without one from
 * the beginning of the topics. About 3 s to the first violation, 1 s to stop. Thread-safe.
 *
 * <p>After a failure the job restarts by itself, from its latest checkpoint, with growing pauses;
 * it gives up when {@link #RESTARTS_MAX} in a row did not help. Flink's REST endpoint is off, so no
 * other process cancels the job.
 */
public final class EmbeddedFlink implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(EmbeddedFlink.class);
  private static final String LOOPBACK = "127.0.0.1";

  /**
   * Before the version of the state in a folder's name. Earlier releases did not seal the files.
   */
  static final String CHECKPOINTS = "sealed-checkpoints-";

  private static final int RESTARTS_MAX = 10;
  private static final Duration CALL_MAX = Duration.ofMinutes(1);
  private static final Duration ANSWER_MAX = Duration.ofSeconds(10);
  private static final Duration LAST_CHECKPOINT_MAX = Duration.ofSeconds(5);

  private final MiniCluster cluster;
  private final JobID job;
  private boolean closed;

  private EmbeddedFlink(MiniCluster cluster, JobID job) {
    this.cluster = cluster;
    this.job = job;
  }

  /**
   * Starts the cluster and submits the job, whose topics must exist. Takes as long as the machine
   * needs; an interrupt ends it. Throws {@link IOException} that names the folder or the reason
   * when that is not possible.
   *
   * @param meters gets what the job counts, {@code palinode.job.*}, and the free space of the disk
   *     with its checkpoints
   */
  public static EmbeddedFlink start(Path folder, DetectionJobConfig config, MeterRegistry meters)
      throws IOException {
    Path home = folder.toAbsolutePath();
    Path temporary = OwnerOnly.createFolders(home.resolve("tmp"));
    Checkpoints checkpoints =
        new Checkpoints(
            OwnerOnly.createFolders(home.resolve(CHECKPOINTS + DetectionJob.STATE_VERSION)));
    Path latest = checkpoints.latest();
    checkpoints.deleteAllBut(latest);
    Gauge.builder("palinode.checkpoints.free.bytes", home, EmbeddedFlink::freeBytes)
        .description("Free space of the disk with the job's checkpoints; NaN: not known")
        .strongReference(true)
        .register(meters);

    Configuration settings = settings(temporary, checkpoints.folder());
    JobGraph graph = graph(settings, config);
    if (latest != null) {
      // Claimed: Flink deletes it once it has made a newer one.
      graph.setSavepointRestoreSettings(
          SavepointRestoreSettings.forPath(
              SealedFiles.address(latest), false, RecoveryClaimMode.CLAIM));
    }
    MiniCluster cluster =
        new PrivateCluster(
            new MiniClusterConfiguration.Builder()
                .setConfiguration(settings)
                .setNumTaskManagers(1)
                .setNumSlotsPerTaskManager(config.execution().parallelism())
                .setRpcServiceSharing(RpcServiceSharing.SHARED)
                .withRandomPorts()
                .build(),
            new JobReporter(meters));
    return submit(cluster, graph);
  }

  private static double freeBytes(Path folder) {
    try {
      return Files.getFileStore(folder).getUsableSpace();
    } catch (IOException unknown) {
      return Double.NaN;
    }
  }

  /** Flink's own word for how the job is doing; failed also when Flink does not answer. */
  public JobStatus status() {
    try {
      return ask();
    } catch (IOException e) {
      return JobStatus.FAILED;
    }
  }

  /** As {@link #status}. Throws {@link IOException} when Flink does not answer in time. */
  public JobStatus ask() throws IOException {
    return await(cluster.getJobStatus(job));
  }

  /** Ends the job as Flink's own API does. The cluster stays. */
  public void cancel() throws IOException {
    await(cluster.cancelJob(job));
  }

  /** Whether every part of the job is running, so that candidates are being read. */
  public boolean isRunning() {
    try {
      AccessExecutionGraph graph = await(cluster.getExecutionGraph(job));
      return graph.getState() == JobStatus.RUNNING
          && StreamSupport.stream(graph.getAllExecutionVertices().spliterator(), false)
              .allMatch(task -> task.getExecutionState() == ExecutionState.RUNNING);
    } catch (IOException e) {
      return false;
    }
  }

  /**
   * Why the job failed last; null if it never did. It may be running again: see {@link #status}.
   */
  public @Nullable String failure() {
    try {
      ErrorInfo failure = await(cluster.getExecutionGraph(job)).getFailureInfo();
      return failure == null ? null : failure.getExceptionAsString();
    } catch (IOException e) {
      return e.toString();
    }
  }

  /** Writes a last checkpoint if it can, and stops. Twice is once. */
  @Override
  public synchronized void close() {
    if (closed) {
      return;
    }
    closed = true;
    if (isRunning()) {
      checkpoint();
    }
    try {
      await(cluster.cancelJob(job));
    } catch (IOException alreadyOver) {
      // Then there is nothing to cancel.
    }
    stop(cluster);
  }

  /** Without it the next start would only read a few seconds of candidates again. */
  private void checkpoint() {
    try {
      cluster
          .triggerCheckpoint(job, CheckpointType.FULL)
          .get(LAST_CHECKPOINT_MAX.toMillis(), TimeUnit.MILLISECONDS);
    } catch (ExecutionException | TimeoutException notNow) {
      // The one before it serves.
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static EmbeddedFlink submit(MiniCluster cluster, JobGraph graph) throws IOException {
    boolean submitted = false;
    try {
      cluster.start();
      // Without a limit: a busy machine takes its time, and an interrupt ends the wait.
      cluster.submitJob(graph).get();
      submitted = true;
      return new EmbeddedFlink(cluster, graph.getJobID());
    } catch (ExecutionException e) {
      throw new IOException("Flink refuses the job: " + e.getCause(), e.getCause());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted while Flink starts", e);
    } catch (IOException | RuntimeException e) {
      throw e;
    } catch (Exception e) {
      // MiniCluster.start declares no less.
      throw new IOException("Flink does not start: " + e.getMessage(), e);
    } finally {
      if (!submitted) {
        stop(cluster);
      }
    }
  }

  private static void stop(MiniCluster cluster) {
    try {
      await(cluster.closeAsync());
    } catch (IOException e) {
      LOG.warn("flink state=STOPPED not in order: {}", e.getMessage());
    }
  }

  private static JobGraph graph(Configuration settings, DetectionJobConfig config) {
    StreamExecutionEnvironment env = new StreamExecutionEnvironment(settings);
    DetectionJob.build(env, config);
    env.configure(new Configuration().set(PipelineOptions.NAME, DetectionJob.name(config)));
    return env.getStreamGraph().getJobGraph();
  }

  private static Configuration settings(Path temporary, Path checkpoints) {
    Configuration settings = new Configuration();
    settings.set(CoreOptions.TMP_DIRS, temporary.toString());
    settings.set(CheckpointingOptions.CHECKPOINTS_DIRECTORY, SealedFiles.address(checkpoints));
    // Of the blob server too, which would take files from any host.
    settings.set(JobManagerOptions.BIND_HOST, LOOPBACK);
    settings.set(TaskManagerOptions.BIND_HOST, LOOPBACK);
    settings.set(RestOptions.BIND_ADDRESS, LOOPBACK);
    settings.set(RestOptions.BIND_PORT, "0");
    // Calls within this process: on a busy machine they are slow, and never lost.
    settings.set(RpcOptions.ASK_TIMEOUT_DURATION, CALL_MAX);
    // State is on the heap, and a handful of channels need few buffers.
    settings.set(TaskManagerOptions.MANAGED_MEMORY_SIZE, MemorySize.ofMebiBytes(1));
    settings.set(TaskManagerOptions.NETWORK_MEMORY_MIN, MemorySize.ofMebiBytes(16));
    settings.set(TaskManagerOptions.NETWORK_MEMORY_MAX, MemorySize.ofMebiBytes(16));
    settings.set(RestartStrategyOptions.RESTART_STRATEGY, "exponential-delay");
    settings.set(
        RestartStrategyOptions.RESTART_STRATEGY_EXPONENTIAL_DELAY_INITIAL_BACKOFF,
        Duration.ofMillis(200));
    settings.set(
        RestartStrategyOptions.RESTART_STRATEGY_EXPONENTIAL_DELAY_MAX_BACKOFF,
        Duration.ofSeconds(10));
    settings.set(
        RestartStrategyOptions.RESTART_STRATEGY_EXPONENTIAL_DELAY_RESET_BACKOFF_THRESHOLD,
        Duration.ofMinutes(1));
    settings.set(RestartStrategyOptions.RESTART_STRATEGY_EXPONENTIAL_DELAY_ATTEMPTS, RESTARTS_MAX);
    return settings;
  }

  private static <T> T await(CompletableFuture<T> answer) throws IOException {
    try {
      return answer.get(ANSWER_MAX.toMillis(), TimeUnit.MILLISECONDS);
    } catch (ExecutionException e) {
      throw new IOException("Flink refuses: " + e.getCause(), e.getCause());
    } catch (TimeoutException e) {
      throw new IOException("Flink does not answer within " + ANSWER_MAX.toSeconds() + " s", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted while waiting for Flink", e);
    }
  }
}
