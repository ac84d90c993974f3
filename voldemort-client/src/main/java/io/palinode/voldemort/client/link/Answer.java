package io.palinode.voldemort.client.link;

import com.google.protobuf.ByteString;
import io.netty.buffer.ByteBuf;
import io.palinode.voldemort.client.session.EpochView;
import io.palinode.voldemort.protocol.ErrorCode;
import io.palinode.voldemort.protocol.Frames;
import io.palinode.voldemort.protocol.Pb0;
import io.palinode.voldemort.protocol.VectorClock;
import io.palinode.voldemort.protocol.Versioned;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a node answered.
 *
 * @param context null from a stock node
 */
public record Answer<T>(T body, Pb0.@Nullable Error error, Pb0.@Nullable ResponseContext context) {
  /** The answer of a node that has no past to read. */
  static final Pb0.Error NO_PAST =
      ErrorCode.UNSUPPORTED_OPERATION.toProto("this node cannot read the past");

  /**
   * A write that a node took.
   *
   * @param changed false for a delete that found nothing to delete
   * @param acceptedAt the node's HLC; 0 from a stock node
   * @param epoch in which it took it; {@link EpochView#UNKNOWN} from a stock node
   * @param proof for the copies; empty if nodes need none
   */
  public record Accepted(boolean changed, long acceptedAt, long epoch, ByteString proof) {
    /** A copy that is where it belongs already. */
    public static final Accepted ALREADY =
        new Accepted(false, 0, EpochView.UNKNOWN, ByteString.EMPTY);

    private static Accepted of(boolean changed, Pb0.ResponseContext context) {
      return new Accepted(changed, context.getAcceptedAt(), epochOf(context), context.getProof());
    }
  }

  private static long epochOf(Pb0.ResponseContext context) {
    return context.hasEpoch() ? context.getEpoch() : EpochView.UNKNOWN;
  }

  /**
   * What a node has of a key.
   *
   * @param epoch in which it had it; {@link EpochView#UNKNOWN} from a stock node
   */
  public record Found(List<Versioned> versions, long epoch) {}

  /** How the bytes of an answer are read. */
  @FunctionalInterface
  public interface Reader<T> {
    /** Also throws {@link IllegalArgumentException}, for clocks out of range. */
    Answer<T> read(ByteBuf frame) throws IOException;
  }

  static Answer<List<Versioned>> get(ByteBuf frame) throws IOException {
    Pb0.GetResponse response = Frames.parse(frame, Pb0.GetResponse.parser());
    return new Answer<>(
        response.getVersionedList().stream().map(Versioned::fromProto).toList(),
        response.hasError() ? response.getError() : null,
        response.hasPalinode() ? response.getPalinode() : null);
  }

  static Answer<Found> found(ByteBuf frame) throws IOException {
    Answer<List<Versioned>> answer = get(frame);
    Pb0.ResponseContext context = answer.context();
    long epoch = context == null ? EpochView.UNKNOWN : epochOf(context);
    return new Answer<>(new Found(answer.body(), epoch), answer.error(), context);
  }

  /** A stock node ignores the time and returns the present; the client refuses that. */
  static Answer<List<Versioned>> getAsOf(ByteBuf frame, long hlc) throws IOException {
    Pb0.GetResponse response = Frames.parse(frame, Pb0.GetResponse.parser());
    return understood(response, response.hasAsOf() && response.getAsOf() == hlc);
  }

  static Answer<List<Versioned>> getInSnapshot(ByteBuf frame, String snapshot) throws IOException {
    Pb0.GetResponse response = Frames.parse(frame, Pb0.GetResponse.parser());
    return understood(response, response.getSnapshot().equals(snapshot));
  }

  private static Answer<List<Versioned>> understood(
      Pb0.GetResponse response, boolean isUnderstood) {
    return new Answer<>(
        isUnderstood
            ? response.getVersionedList().stream().map(Versioned::fromProto).toList()
            : List.of(),
        response.hasError() ? response.getError() : isUnderstood ? null : NO_PAST,
        response.hasPalinode() ? response.getPalinode() : null);
  }

  static Answer<Pb0.PastResponse> past(ByteBuf frame) throws IOException {
    Pb0.PastResponse response = Frames.parse(frame, Pb0.PastResponse.parser());
    return new Answer<>(
        response,
        response.hasError() ? response.getError() : null,
        response.hasPalinode() ? response.getPalinode() : null);
  }

  static Answer<List<VectorClock>> getVersion(ByteBuf frame) throws IOException {
    Pb0.GetVersionResponse response = Frames.parse(frame, Pb0.GetVersionResponse.parser());
    return new Answer<>(
        response.getVersionsList().stream().map(VectorClock::fromProto).toList(),
        response.hasError() ? response.getError() : null,
        response.hasPalinode() ? response.getPalinode() : null);
  }

  static Answer<Accepted> put(ByteBuf frame) throws IOException {
    Pb0.PutResponse response = Frames.parse(frame, Pb0.PutResponse.parser());
    return new Answer<>(
        Accepted.of(true, response.getPalinode()),
        response.hasError() ? response.getError() : null,
        response.hasPalinode() ? response.getPalinode() : null);
  }

  static Answer<Accepted> delete(ByteBuf frame) throws IOException {
    Pb0.DeleteResponse response = Frames.parse(frame, Pb0.DeleteResponse.parser());
    return new Answer<>(
        Accepted.of(response.getSuccess(), response.getPalinode()),
        response.hasError() ? response.getError() : null,
        response.hasPalinode() ? response.getPalinode() : null);
  }
}
