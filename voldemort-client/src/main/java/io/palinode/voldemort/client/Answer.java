package io.palinode.voldemort.client;

import io.netty.buffer.ByteBuf;
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
record Answer<T>(T body, Pb0.@Nullable Error error, Pb0.@Nullable ResponseContext context) {

  /**
   * A write that a node took.
   *
   * @param changed false for a delete that found nothing to delete
   * @param acceptedAt the node's HLC; 0 from a stock node
   */
  record Accepted(boolean changed, long acceptedAt) {}

  /** How the bytes of an answer are read. */
  @FunctionalInterface
  interface Reader<T> {
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

  /** A stock node does not hear of the time and tells the present: that is no answer. */
  static Answer<List<Versioned>> getAsOf(ByteBuf frame, long hlc) throws IOException {
    Pb0.GetResponse response = Frames.parse(frame, Pb0.GetResponse.parser());
    if (!response.hasError() && (!response.hasAsOf() || response.getAsOf() != hlc)) {
      return new Answer<>(
          List.of(),
          ErrorCode.UNSUPPORTED_OPERATION.toProto("this node cannot read the past"),
          response.hasPalinode() ? response.getPalinode() : null);
    }
    return new Answer<>(
        response.getVersionedList().stream().map(Versioned::fromProto).toList(),
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
        new Accepted(true, response.getPalinode().getAcceptedAt()),
        response.hasError() ? response.getError() : null,
        response.hasPalinode() ? response.getPalinode() : null);
  }

  static Answer<Accepted> delete(ByteBuf frame) throws IOException {
    Pb0.DeleteResponse response = Frames.parse(frame, Pb0.DeleteResponse.parser());
    return new Answer<>(
        new Accepted(response.getSuccess(), response.getPalinode().getAcceptedAt()),
        response.hasError() ? response.getError() : null,
        response.hasPalinode() ? response.getPalinode() : null);
  }
}
