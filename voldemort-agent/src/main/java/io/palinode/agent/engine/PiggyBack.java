package io.palinode.agent.engine;

import com.google.protobuf.InvalidProtocolBufferException;
import io.palinode.agent.boot.Writing;
import io.palinode.agent.stock.StockTypes;
import io.palinode.hvc.Hvc;
import io.palinode.voldemort.Caller;
import io.palinode.voldemort.RefusedException;
import io.palinode.voldemort.Reply;
import io.palinode.voldemort.StoreNode;
import io.palinode.voldemort.protocol.Pb0.RequestContext;
import io.palinode.voldemort.protocol.Pb0.ResponseContext;
import io.palinode.voldemort.request.Contexts;
import java.io.IOException;
import java.lang.invoke.MethodHandle;
import org.jspecify.annotations.Nullable;

/** The contexts in the server's pb0 messages, in both directions ({@link UnknownField}). */
public final class PiggyBack {
  private final StoreNode node;
  private final Contexts contexts;
  private final Messages messages;
  private final UnknownField field;

  /**
   * The types of messages that carry a context.
   *
   * @param requestBuilder the builder of a client's request
   * @param request a client's request; a server delivers a hint as one with {@code
   *     pusher.type=blocking}
   * @param hint a hint that one server delivers to another
   * @param firstHint the request that has a hint as its field {@code hintField}, if {@code hasHint}
   *     is true
   */
  record Messages(
      Class<?> requestBuilder,
      Class<?> request,
      Class<?> hint,
      Class<?> firstHint,
      int hintField,
      MethodHandle hasHint) {
    private static final String PACKAGE = "voldemort.client.protocol.pb.";

    /** A field number of Voldemort's VAdminProto. */
    private static final int UPDATE_SLOP_ENTRIES = 22;

    static Messages of(StockTypes types) {
      Class<?> admin = types.type(PACKAGE + "VAdminProto$VoldemortAdminRequest");
      return new Messages(
          types.type(PACKAGE + "VProto$VoldemortRequest$Builder"),
          types.type(PACKAGE + "VProto$VoldemortRequest"),
          types.type(PACKAGE + "VAdminProto$UpdateSlopEntriesRequest"),
          admin,
          UPDATE_SLOP_ENTRIES,
          types.method(admin, "hasUpdateSlopEntries", boolean.class));
    }
  }

  public PiggyBack(StoreNode node, StockTypes types) {
    this(node, types, Messages.of(types));
  }

  PiggyBack(StoreNode node, StockTypes types, Messages messages) {
    this.node = node;
    this.contexts = new Contexts(node);
    this.messages = messages;
    this.field = new UnknownField(types);
  }

  /**
   * Takes a message that was read. A client's request begins a conversation with that client, and a
   * hint one with the delivering server.
   */
  void received(Object read, Conversation conversation) {
    boolean isHint = read.getClass() == messages.hint();
    if (!isHint && read.getClass() != messages.requestBuilder()) {
      return;
    }
    conversation.end();
    byte[] bytes = isHint ? field.readMessage(read) : field.read(read);
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

  /**
   * The same message, with the epoch of its hint; null if it has none.
   *
   * @param epoch the epoch of the delivering run
   * @param ofTheRun whether the thread of that run sends it: its requests are hints
   */
  @Nullable Writing hint(Object message, long epoch, boolean ofTheRun) throws IOException {
    boolean isFirst =
        message.getClass() == messages.firstHint()
            && (boolean) StockTypes.call(messages.hasHint(), message);
    boolean isRequest = ofTheRun && message.getClass() == messages.request();
    if (!isFirst && !isRequest && message.getClass() != messages.hint()) {
      return null;
    }
    byte[] context = RequestContext.newBuilder().setEpoch(epoch).build().toByteArray();
    return isFirst
        ? field.writeWithin(message, messages.hintField(), context)
        : field.write(message, context);
  }

  /** The same message, with the context for a client that sends contexts. */
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
    // The response names the epoch that served the request, even if it has ended since.
    Long asked = conversation.isAdmitted() ? conversation.caller().epoch() : null;
    long epoch = asked == null ? node.fence().epoch() : asked;
    Hvc written = conversation.written();
    if (written != null) {
      return new Reply<>(true, written, written.own(), epoch);
    }
    try {
      return new Reply<>(true, node.admission().receive(conversation.caller()), 0, epoch);
    } catch (RefusedException tooFarAhead) {
      return new Reply<>(true, node.lastReading(), 0, epoch);
    }
  }
}
