package io.palinode.voldemort.request;

import com.google.protobuf.ByteString;
import io.palinode.hvc.Hvc;
import io.palinode.hvc.HvcCodec;
import io.palinode.voldemort.Caller;
import io.palinode.voldemort.RefusedException;
import io.palinode.voldemort.Reply;
import io.palinode.voldemort.ResponseContexts;
import io.palinode.voldemort.StoreNode;
import io.palinode.voldemort.protocol.ErrorCode;
import io.palinode.voldemort.protocol.Frames;
import io.palinode.voldemort.protocol.Pb0.RequestContext;
import io.palinode.voldemort.protocol.Pb0.ResponseContext;
import io.palinode.voldemort.protocol.Pb0.VoldemortRequest;
import org.jspecify.annotations.Nullable;

/**
 * Decodes the contexts of requests, and builds those of responses. Thread-safe; needs no socket, so
 * another server can use it.
 */
public final class Contexts {
  private final StoreNode node;
  private final ResponseContexts responses;

  /** For another server, which takes one request at a time per connection. */
  public Contexts(StoreNode node) {
    this(node, false);
  }

  /**
   * @param isOurs whether a client may send requests without waiting for responses, and questions
   *     about the past
   */
  Contexts(StoreNode node, boolean isOurs) {
    this.node = node;
    this.responses = new ResponseContexts(node, isOurs ? ResponseContexts.PAST_QUESTIONS : 0);
  }

  Caller caller(VoldemortRequest request) throws RefusedException {
    return request.hasPalinode() ? caller(request.getPalinode()) : Caller.STOCK;
  }

  /** The client of a request. Refused if it cannot belong to this cluster. */
  public Caller caller(RequestContext context) throws RefusedException {
    requireNode("origin", context.getOrigin());
    requireNode("read_at", context.getReadAt());
    int idLength = context.getClient().length();
    if (idLength > Frames.CLIENT_ID_MAX) {
      throw node.admission()
          .refuse(
              ErrorCode.VOLDEMORT,
              "a client's id must be at most %d characters: length=%d"
                  .formatted(Frames.CLIENT_ID_MAX, idLength));
    }
    return new Caller(
        context.hasHvc() ? hvc(context.getHvc()) : null,
        context.hasEpoch() ? context.getEpoch() : null,
        context.getClient(),
        context.hasOrigin() ? Integer.valueOf(context.getOrigin()) : null,
        context.hasReadAt() ? Integer.valueOf(context.getReadAt()) : null);
  }

  private void requireNode(String what, int named) throws RefusedException {
    if (named < 0 || named >= node.nodes()) {
      throw node.admission()
          .refuse(
              ErrorCode.VOLDEMORT,
              "%s must be one of %d nodes: %s=%d".formatted(what, node.nodes(), what, named));
    }
  }

  /**
   * @param knowsEpoch whether the request had an epoch; if not, the response has the content of a
   *     fence
   */
  public ResponseContext of(Reply<?> reply, boolean knowsEpoch) {
    return responses.served(reply.hvc(), reply.epoch(), reply.acceptedAt(), knowsEpoch);
  }

  /**
   * The context of a refusal, with its fence.
   *
   * @param epoch of the request; null if it had none: then its first response names the epoch
   */
  public ResponseContext of(RefusedException refused, String client, @Nullable Long epoch) {
    return responses.refused(node.lastReading(), refused.fence(), client, epoch);
  }

  private Hvc hvc(ByteString bytes) throws RefusedException {
    try {
      return HvcCodec.decode(bytes.toByteArray());
    } catch (IllegalArgumentException e) {
      throw node.admission().refuse(ErrorCode.VOLDEMORT, String.valueOf(e.getMessage()));
    }
  }
}
