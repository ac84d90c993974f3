package io.palinode.launcher.embedded;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledExecutorService;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.runtime.blob.TransientBlobService;
import org.apache.flink.runtime.dispatcher.DispatcherGateway;
import org.apache.flink.runtime.leaderelection.LeaderElection;
import org.apache.flink.runtime.resourcemanager.ResourceManagerGateway;
import org.apache.flink.runtime.rest.RestEndpointFactory;
import org.apache.flink.runtime.rest.handler.RestHandlerConfiguration;
import org.apache.flink.runtime.rest.handler.RestHandlerSpecification;
import org.apache.flink.runtime.rest.handler.legacy.ExecutionGraphCache;
import org.apache.flink.runtime.rest.handler.legacy.metrics.MetricFetcher;
import org.apache.flink.runtime.rpc.FatalErrorHandler;
import org.apache.flink.runtime.webmonitor.WebMonitorEndpoint;
import org.apache.flink.runtime.webmonitor.retriever.LeaderGatewayRetriever;
import org.apache.flink.shaded.netty4.io.netty.channel.ChannelInboundHandler;
import org.apache.flink.util.ConfigurationException;

/**
 * A REST endpoint that serves no path and closes its port as soon as it has it. Flink's cluster
 * cannot be made without an endpoint.
 */
@SuppressWarnings("try") // Flink declares its close so.
final class ClosedRestEndpoint extends WebMonitorEndpoint<DispatcherGateway> {
  private ClosedRestEndpoint(
      Configuration configuration,
      RestHandlerConfiguration handlers,
      LeaderGatewayRetriever<DispatcherGateway> dispatcher,
      LeaderGatewayRetriever<ResourceManagerGateway> resources,
      TransientBlobService blobs,
      ScheduledExecutorService executor,
      MetricFetcher metrics,
      LeaderElection election,
      ExecutionGraphCache graphs,
      FatalErrorHandler onFatal)
      throws IOException, ConfigurationException {
    super(
        dispatcher,
        configuration,
        handlers,
        resources,
        blobs,
        executor,
        metrics,
        election,
        graphs,
        onFatal);
  }

  /** As {@link RestEndpointFactory} wants it. */
  static ClosedRestEndpoint of(
      Configuration configuration,
      LeaderGatewayRetriever<DispatcherGateway> dispatcher,
      LeaderGatewayRetriever<ResourceManagerGateway> resources,
      TransientBlobService blobs,
      ScheduledExecutorService executor,
      MetricFetcher metrics,
      LeaderElection election,
      FatalErrorHandler onFatal)
      throws IOException, ConfigurationException {
    RestHandlerConfiguration handlers = RestHandlerConfiguration.fromConfiguration(configuration);
    return new ClosedRestEndpoint(
        configuration,
        handlers,
        dispatcher,
        resources,
        blobs,
        executor,
        metrics,
        election,
        RestEndpointFactory.createExecutionGraphCache(handlers),
        onFatal);
  }

  @Override
  protected List<Tuple2<RestHandlerSpecification, ChannelInboundHandler>> initializeHandlers(
      CompletableFuture<String> address) {
    // Flink sorts the list.
    return new ArrayList<>();
  }

  /** Called at the end of the start, with the port bound. */
  @Override
  public void startInternal() {
    var unused = closeAsync();
  }
}
