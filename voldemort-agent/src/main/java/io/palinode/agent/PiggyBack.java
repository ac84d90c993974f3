package io.palinode.agent;

import com.google.protobuf.CodedOutputStream;
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
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.invoke.MethodHandle;
import java.util.List;

/**
 * The field that rides along with pb0 messages of the server, as one that its own classes do not
 * know: they keep what they do not know while a message is read, and it is written behind theirs.
 */
final class PiggyBack {
  /** Of our {@code voldemort.proto}. */
  private static final int FIELD = 1000;

  /** What it takes beside its bytes. */
  private static final int FIELD_BYTES_MAX = 8;

  private final StoreNode node;
  private final Contexts contexts;
  private final Class<?> requestBuilder;
  private final MethodHandle unknownOf;
  private final MethodHandle field;
  private final MethodHandle values;
  private final MethodHandle bytesOf;
  private final MethodHandle sizeOf;
  private final MethodHandle writeTo;

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
    Class<?> message = types.type("com.google.protobuf.Message");
    Class<?> builder = types.type("com.google.protobuf.Message$Builder");
    Class<?> bytes = types.type("com.google.protobuf.ByteString");
    Class<?> set = types.type("com.google.protobuf.UnknownFieldSet");
    Class<?> one = types.type("com.google.protobuf.UnknownFieldSet$Field");
    unknownOf = types.method(builder, "getUnknownFields", set);
    field = types.method(set, "getField", one, int.class);
    values = types.method(one, "getLengthDelimitedList", List.class);
    bytesOf = types.method(bytes, "toByteArray", byte[].class);
    sizeOf = types.method(message, "getSerializedSize", int.class);
    writeTo = types.method(message, "writeTo", void.class, OutputStream.class);
  }

  /** A message was read; if it is a client's request, the conversation is with that client now. */
  void received(Object builder, Conversation conversation) {
    if (builder.getClass() != requestBuilder) {
      return;
    }
    conversation.end();
    Object unknown = StockTypes.call(unknownOf, builder);
    List<?> found = (List<?>) StockTypes.call(values, StockTypes.call(field, unknown, FIELD));
    if (found.isEmpty()) {
      return;
    }
    byte[] bytes = (byte[]) StockTypes.call(bytesOf, found.get(found.size() - 1));
    try {
      conversation.begin(contexts.caller(RequestContext.parseFrom(bytes)));
    } catch (RefusedException notOfThisCluster) {
      conversation.begin(Caller.STOCK);
      conversation.refuse(notOfThisCluster);
    } catch (InvalidProtocolBufferException notOurs) {
      conversation.end();
    }
  }

  /**
   * The same message, with what a client of ours is told along: behind its own bytes, which is a
   * field more to whoever reads them.
   */
  Writing answer(Object message, Conversation conversation) throws IOException {
    byte[] context = context(conversation);
    ByteArrayOutputStream bytes = new ByteArrayOutputStream(context.length + FIELD_BYTES_MAX);
    CodedOutputStream coded = CodedOutputStream.newInstance(bytes);
    coded.writeByteArray(FIELD, context);
    coded.flush();
    int size = (int) StockTypes.call(sizeOf, message) + bytes.size();
    return out -> {
      out.writeInt(size);
      Object unused = StockTypes.call(writeTo, message, out);
      bytes.writeTo(out);
    };
  }

  private byte[] context(Conversation conversation) {
    RefusedException refused = conversation.refused();
    ResponseContext context;
    if (refused != null) {
      context = contexts.of(refused, conversation.caller().epoch() != null);
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
