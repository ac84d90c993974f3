package io.palinode.agent;

import com.google.protobuf.InvalidProtocolBufferException;
import io.palinode.hvc.Hvc;
import io.palinode.voldemort.Caller;
import io.palinode.voldemort.RefusedException;
import io.palinode.voldemort.Reply;
import io.palinode.voldemort.StoreNode;
import io.palinode.voldemort.protocol.Pb0.RequestContext;
import io.palinode.voldemort.protocol.Pb0.ResponseContext;
import io.palinode.voldemort.server.Contexts;
import java.lang.invoke.MethodHandle;
import java.util.List;

/**
 * The field that rides along with pb0 messages of the server, as one that its own classes do not
 * know: they keep what they do not know while a message is read, and write what they are given.
 */
final class PiggyBack {
  /** Of our {@code voldemort.proto}. */
  private static final int FIELD = 1000;

  private final StoreNode node;
  private final Contexts contexts;
  private final Class<?> requestBuilder;
  private final MethodHandle unknownOf;
  private final MethodHandle field;
  private final MethodHandle values;
  private final MethodHandle bytesOf;
  private final MethodHandle copyOf;
  private final MethodHandle newField;
  private final MethodHandle addValue;
  private final MethodHandle buildField;
  private final MethodHandle newSet;
  private final MethodHandle addField;
  private final MethodHandle buildSet;
  private final MethodHandle toBuilder;
  private final MethodHandle setUnknown;
  private final MethodHandle build;

  PiggyBack(StoreNode node, StockTypes types) {
    this.node = node;
    this.contexts = new Contexts(node);
    this.requestBuilder =
        types.type("voldemort.client.protocol.pb.VProto$VoldemortRequest$Builder");
    Class<?> message = types.type("com.google.protobuf.Message");
    Class<?> builder = types.type("com.google.protobuf.Message$Builder");
    Class<?> bytes = types.type("com.google.protobuf.ByteString");
    Class<?> set = types.type("com.google.protobuf.UnknownFieldSet");
    Class<?> setBuilder = types.type("com.google.protobuf.UnknownFieldSet$Builder");
    Class<?> one = types.type("com.google.protobuf.UnknownFieldSet$Field");
    Class<?> oneBuilder = types.type("com.google.protobuf.UnknownFieldSet$Field$Builder");
    unknownOf = types.method(builder, "getUnknownFields", set);
    field = types.method(set, "getField", one, int.class);
    values = types.method(one, "getLengthDelimitedList", List.class);
    bytesOf = types.method(bytes, "toByteArray", byte[].class);
    copyOf = types.function(bytes, "copyFrom", bytes, byte[].class);
    newField = types.function(one, "newBuilder", oneBuilder);
    addValue = types.method(oneBuilder, "addLengthDelimited", oneBuilder, bytes);
    buildField = types.method(oneBuilder, "build", one);
    newSet = types.function(set, "newBuilder", setBuilder);
    addField = types.method(setBuilder, "addField", setBuilder, int.class, one);
    buildSet = types.method(setBuilder, "build", set);
    toBuilder = types.method(message, "toBuilder", builder);
    setUnknown = types.method(builder, "setUnknownFields", builder, set);
    build = types.method(builder, "build", message);
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

  /** The same message, with what a client of ours is told along. */
  Object answer(Object message, Conversation conversation) {
    Object one = StockTypes.call(newField);
    one = StockTypes.call(addValue, one, StockTypes.call(copyOf, context(conversation)));
    Object set = StockTypes.call(newSet);
    set = StockTypes.call(addField, set, FIELD, StockTypes.call(buildField, one));
    Object builder = StockTypes.call(toBuilder, message);
    builder = StockTypes.call(setUnknown, builder, StockTypes.call(buildSet, set));
    return StockTypes.call(build, builder);
  }

  private Object context(Conversation conversation) {
    RefusedException refused = conversation.refused();
    ResponseContext context;
    if (refused != null) {
      context = contexts.of(refused);
    } else {
      Long asked = conversation.isAdmitted() ? conversation.caller().epoch() : null;
      context = contexts.of(reply(conversation), asked != null);
    }
    return context.toBuilder().setOneAtATime(true).build().toByteArray();
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
