package io.palinode.agent.client;

import com.google.protobuf.InvalidProtocolBufferException;
import io.palinode.agent.boot.Ride;
import io.palinode.agent.boot.Writing;
import io.palinode.agent.client.ClientHooks.UnderWay;
import io.palinode.voldemort.client.EpochView;
import io.palinode.voldemort.client.Session;
import io.palinode.voldemort.client.Session.Verdict;
import io.palinode.voldemort.protocol.Pb0.ResponseContext;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * What rides along with the requests that one operation makes, or that are made because of one of
 * those. Made by the operation's thread; written and answered by any.
 */
final class RequestRide implements Ride {
  private final ClusterClient cluster;
  private final long epoch;
  private final int origin;
  private final int readAt;
  private final RoutedOperation operation;
  private final ThreadLocal<UnderWay> underWay;
  // Of the thread that reads the answer.
  private @Nullable Verdict verdict;

  /**
   * @param origin as of {@link io.palinode.voldemort.client.Session#context}
   * @param readAt likewise
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

  /** For a request that is made because of this one. */
  RequestRide another() {
    return new RequestRide(cluster, epoch, origin, readAt, operation, underWay);
  }

  @Override
  public void begun() {
    verdict = null;
    underWay.get().riding = this;
  }

  /**
   * {@inheritDoc} Servers of a newer epoch say that they cannot be reached: they can. One that does
   * not serve this client's epoch yet is left to be taken for one that is away: the client asks
   * others and leaves hints, where for an obsolete version it would take the copy for written.
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
    byte[] context = cluster.session().context(epoch, origin, readAt).toByteArray();
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
      verdict = cluster.heard(epoch, context);
    } catch (InvalidProtocolBufferException notOurs) {
      verdict = null;
    }
  }
}
