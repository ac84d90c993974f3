package io.palinode.agent.client;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import io.palinode.agent.boot.Ride;
import io.palinode.agent.boot.Writing;
import io.palinode.agent.client.ClientHooks.UnderWay;
import io.palinode.voldemort.client.session.EpochView;
import io.palinode.voldemort.client.session.Session;
import io.palinode.voldemort.client.session.Session.Verdict;
import io.palinode.voldemort.protocol.Pb0.ResponseContext;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * The context of one operation's request, or of a request caused by it. Created by the operation's
 * thread; any thread writes and answers it.
 */
final class RequestRide implements Ride {
  private final ClusterClient cluster;
  private final long epoch;
  private final int origin;
  private final int readAt;
  private final RoutedOperation operation;
  private final ThreadLocal<UnderWay> underWay;
  // Used by the thread that reads the response.
  private @Nullable Verdict verdict;

  /**
   * @param origin see {@link io.palinode.voldemort.client.session.Session#context}
   * @param readAt see {@link io.palinode.voldemort.client.session.Session#context}
   */
  RequestRide(
      ClusterClient cluster,
      long epoch,
      int origin,
      int readAt,
      RoutedOperation operation,
      ThreadLocal<UnderWay> underWay) {
    this.cluster = cluster;
    this.epoch = epoch;
    this.origin = origin;
    this.readAt = readAt;
    this.operation = operation;
    this.underWay = underWay;
  }

  /** The ride of a request that this one causes. */
  RequestRide another() {
    return new RequestRide(cluster, epoch, origin, readAt, operation, underWay);
  }

  @Override
  public void begun() {
    verdict = null;
    underWay.get().riding = this;
  }

  /**
   * {@inheritDoc} A server of a newer epoch answers as unreachable; this replaces that answer by an
   * obsolete version. The answer of a server in an older epoch stays: the client then asks other
   * servers and leaves hints. For an obsolete version it would count the copy as written.
   */
  @Override
  public @Nullable RuntimeException ended() {
    underWay.get().riding = null;
    return verdict == Verdict.EPOCH_OVER && epoch != EpochView.UNKNOWN
        ? cluster.types().obsolete("the cluster is being rolled back, or was: read again")
        : null;
  }

  Writing writing(Object message) throws IOException {
    operation.rode();
    byte[] context =
        cluster.session().context(epoch, origin, readAt, ByteString.EMPTY).toByteArray();
    return cluster.field().write(message, context);
  }

  void received(Object builder) {
    byte[] bytes = cluster.field().read(builder);
    if (bytes == null) {
      return;
    }
    try {
      ResponseContext context = ResponseContext.parseFrom(bytes);
      if (readAt == Session.NO_ORIGIN) {
        operation.answered(context);
      }
      verdict = cluster.observed(epoch, context);
    } catch (InvalidProtocolBufferException notOurs) {
      verdict = null;
    }
  }
}
