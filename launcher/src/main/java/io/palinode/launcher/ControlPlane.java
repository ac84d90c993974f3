package io.palinode.launcher;

import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.palinode.detector.kafka.NodeDetectorConfig;
import io.palinode.hvc.Epsilon;
import io.palinode.launcher.embedded.EmbeddedFlink;
import io.palinode.launcher.embedded.EmbeddedKafka;
import io.palinode.monitor.flink.detection.DetectionSettings;
import io.palinode.orchestrator.alert.AlertSettings;
import io.palinode.orchestrator.kafka.Orchestrator;
import io.palinode.orchestrator.kafka.OrchestratorConfig;
import io.palinode.orchestrator.rest.RestSettings;
import io.palinode.orchestrator.rest.past.PastBackend;
import io.palinode.predicate.Predicate;
import io.palinode.predicate.PredicateLimits;
import io.palinode.predicate.form.Predicates;
import io.palinode.wire.Topics;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * What watches the store nodes, in this process: a Kafka broker, the detection job on a Flink
 * cluster, the orchestrator with its API.
 */
public final class ControlPlane implements AutoCloseable {
  /** A start has no limit: its caller reports progress, and its user can end it. */
  static final Duration START_MAX = Duration.ofDays(3_650);

  private final PrometheusMeterRegistry registry =
      new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
  private final Parts parts = new Parts();
  private @Nullable DetectionPlane detection;
  private @Nullable Orchestrator orchestrator;

  private ControlPlane() {}

  /** Ports to listen on; 0: any free one. */
  public record Ports(int api, int kafka) {
    public static final Ports FREE = new Ports(0, EmbeddedKafka.ANY_PORT);
  }

  /**
   * What is accepted and kept.
   *
   * @param predicates that may be applied
   * @param alerts where they go
   * @param past reads the store nodes for the API; null: it does not
   */
  public record Settings(
      DetectionSettings detection,
      PredicateLimits predicates,
      AlertSettings alerts,
      @Nullable PastBackend past) {
    public static final Settings DEFAULT =
        new Settings(
            DetectionSettings.DEFAULT, PredicateLimits.DEFAULT, AlertSettings.DEFAULT, null);

    public Settings withPast(PastBackend newPast) {
      return new Settings(detection, predicates, alerts, newPast);
    }
  }

  /**
   * Starts everything on {@code data}; what an earlier run left there is taken up. Throws {@link
   * StartRefusedException} when a port or the folder is not available.
   *
   * @param console gets one line an alert
   */
  public static ControlPlane start(
      Path data, int nodes, Epsilon epsilon, Ports ports, Consumer<String> console) {
    return start(data, nodes, epsilon, Settings.DEFAULT, ports, console);
  }

  /** As above, with other than the default settings. */
  public static ControlPlane start(
      Path data,
      int nodes,
      Epsilon epsilon,
      Settings settings,
      Ports ports,
      Consumer<String> console) {
    ControlPlane plane = new ControlPlane();
    plane.parts.started(ProcessMeters.of(plane.registry));
    try {
      DetectionPlane detection =
          plane.parts.started(
              DetectionPlane.start(
                  data, nodes, epsilon, settings.detection(), ports.kafka(), plane.registry));
      plane.detection = detection;
      detection.createTopics(settings.alerts().topics());
      plane.orchestrator =
          plane.parts.started(
              Orchestrator.start(
                  OrchestratorConfig.of(detection.kafkaAddress(), Topics.DEFAULT, nodes)
                      .withPredicates(settings.predicates())
                      .withAlerts(settings.alerts())
                      .withStartMax(START_MAX)
                      .withRest(
                          RestSettings.DEFAULT.withPort(ports.api()).withPast(settings.past())),
                  plane.registry,
                  console));
      return plane;
    } catch (IOException e) {
      plane.close();
      throw new StartRefusedException(e);
    } catch (RuntimeException e) {
      plane.close();
      throw e;
    }
  }

  public void apply(Predicate predicate) {
    var unused = orchestrator().apply(Predicates.toYaml(predicate), predicate.name());
  }

  public Orchestrator orchestrator() {
    return present(orchestrator);
  }

  RestartableJob watchedJob() {
    return present(detection).job();
  }

  /** The cluster that runs the detection job now. */
  public EmbeddedFlink flink() {
    return watchedJob().flink();
  }

  public String apiUrl() {
    return orchestrator().url();
  }

  public String kafkaAddress() {
    return present(detection).kafkaAddress();
  }

  /** How a store node joins. */
  public NodeDetectorConfig watch() {
    return present(detection).watch();
  }

  public PrometheusMeterRegistry registry() {
    return registry;
  }

  @Override
  public void close() {
    parts.close();
  }

  private static <T> T present(@Nullable T part) {
    if (part == null) {
      throw new IllegalStateException("the control plane is not started");
    }
    return part;
  }
}
