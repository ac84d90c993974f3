package io.palinode.agent;

import com.google.protobuf.InvalidProtocolBufferException;
import io.palinode.agent.boot.Writing;
import io.palinode.hvc.Hvc;
import io.palinode.voldemort.Caller;
import io.palinode.voldemort.RefusedException;
import io.palinode.voldemort.Reply;
import io.palinode.voldemort.StoreNode;
import io.palinode.voldemort.protocol.Pb0.RequestContext;
import io.palinode.voldemort.protocol.Pb0.ResponseContext;
import io.palinode.voldemort.server.Contexts;
import java.io.IOException;

/** What rides along with the server's pb0 messages ({@link UnknownField}), both ways. */
final class PiggyBack {
  private final StoreNode node;
  private final Contexts contexts;
  private final Class<?> requestBuilder;
  private final UnknownField field;

  PiggyBack(StoreNode node, StockTypes types) {
    this(node, types, types.type("voldemort.client.protocol.pb.VProto$VoldemortRequest$Builder"));
  }

  /**
   * @param requestBuilder of messages that are a client's requests
   */
  PiggyBack(StoreNode node, StockTypes types, Class<?> requestBuilder) {
    this.node = node;
    this.contexts = new Contexts(node);
    this.requestBuilder = requestBuilder;
    this.field = new UnknownField(types);
  }

  /** A message was read; if it is a client's request, the conversation is with that client now. */
  void received(Object builder, Conversation conversation) {
    if (builder.getClass() != requestBuilder) {
      return;
    }
    conversation.end();
    byte[] bytes = field.read(builder);
    if (bytes == null) {
      return;
    }
    try {
      conversation.begin(contexts.caller(RequestContext.parseFrom(bytes)));
    } catch (RefusedException notOfThisCluster) {
      conversation.beginUnknown(notOfThisCluster);
    } catch (InvalidProtocolBufferException notOurs) {
      conversation.end();
    }
  }

  /** The same message, with what a client of ours is told along. */
  Writing answer(Object message, Conversation conversation) throws IOException {
    return field.write(message, context(conversation));
  }

  private byte[] context(Conversation conversation) {
    RefusedException refused = conversation.refused();
    ResponseContext context;
    if (refused != null) {
      Caller caller = conversation.caller();
      context = contexts.of(refused, caller.client(), caller.epoch());
    } else {
      Long asked = conversation.isAdmitted() ? conversation.caller().epoch() : null;
      context = contexts.of(reply(conversation), asked != null);
    }
    return context.toByteArray();
  }

  private Reply<Boolean> reply(Conversation conversation) {
    // What was served in an epoch is told as of that one, also when it has ended since.
    Long asked = conversation.isAdmitted() ? conversation.caller().epoch() : null;
    long epoch = asked == null ? node.fence().epoch() : asked;
    Hvc written = conversation.written();
    if (written != null) {
      return new Reply<>(true, written, written.own(), epoch);
    }
    try {
      return new Reply<>(true, node.answer(conversation.caller()), 0, epoch);
    } catch (RefusedException tooFarAhead) {
      return new Reply<>(true, node.lastReading(), 0, epoch);
    }
  }
}
