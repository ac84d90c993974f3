package io.palinode.launcher.embedded;

import java.util.List;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.runtime.dispatcher.DispatcherGateway;
import org.apache.flink.runtime.dispatcher.SessionDispatcherFactory;
import org.apache.flink.runtime.dispatcher.runner.DefaultDispatcherRunnerFactory;
import org.apache.flink.runtime.entrypoint.component.DefaultDispatcherResourceManagerComponentFactory;
import org.apache.flink.runtime.entrypoint.component.DispatcherResourceManagerComponentFactory;
import org.apache.flink.runtime.metrics.MetricRegistryConfiguration;
import org.apache.flink.runtime.metrics.MetricRegistryImpl;
import org.apache.flink.runtime.metrics.ReporterSetupBuilder;
import org.apache.flink.runtime.minicluster.MiniCluster;
import org.apache.flink.runtime.minicluster.MiniClusterConfiguration;
import org.apache.flink.runtime.resourcemanager.StandaloneResourceManagerFactory;
import org.apache.flink.runtime.rest.RestEndpointFactory;

/**
 * A Flink cluster that this process alone controls: without the REST endpoint, which would let
 * every process of the machine cancel the job, and with a reporter that belongs to a registry.
 */
@SuppressWarnings("try") // Flink declares its close so.
final class PrivateCluster extends MiniCluster {
  private final JobReporter reporter;

  PrivateCluster(MiniClusterConfiguration configuration, JobReporter reporter) {
    super(configuration);
    this.reporter = reporter;
  }

  /** Flink's settings can only name a reporter's class. */
  @Override
  protected MetricRegistryImpl createMetricRegistry(
      Configuration configuration, long messageBytesMax) {
    return new MetricRegistryImpl(
        MetricRegistryConfiguration.fromConfiguration(configuration, messageBytesMax),
        List.of(ReporterSetupBuilder.METRIC_SETUP_BUILDER.forReporter("palinode", reporter)));
  }

  @Override
  protected DispatcherResourceManagerComponentFactory
      createDispatcherResourceManagerComponentFactory() {
    RestEndpointFactory<DispatcherGateway> closed = ClosedRestEndpoint::of;
    return new DefaultDispatcherResourceManagerComponentFactory(
        DefaultDispatcherRunnerFactory.createSessionRunner(SessionDispatcherFactory.INSTANCE),
        StandaloneResourceManagerFactory.getInstance(),
        closed);
  }
}
