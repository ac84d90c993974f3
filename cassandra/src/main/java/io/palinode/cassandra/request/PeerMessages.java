package io.palinode.cassandra.request;

import io.palinode.cassandra.node.ServerNode;
import io.palinode.cql.protocol.Context;
import io.palinode.hvc.ClockDriftException;
import io.palinode.store.order.FenceState;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.cassandra.exceptions.RequestFailureReason;
import org.apache.cassandra.locator.InetAddressAndPort;
import org.apache.cassandra.net.Message;
import org.apache.cassandra.net.MessagingService;
import org.apache.cassandra.net.ParamType;
import org.apache.cassandra.net.Verb;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Adds the context to messages between servers, and refuses requests of another epoch before a
 * replica carries them out. Cassandra passes each message through filters, in the thread that sends
 * it or carries it out.
 */
public final class PeerMessages {
  private static final Logger log = LoggerFactory.getLogger(PeerMessages.class);

  private static final Set<Verb> REQUESTS =
      EnumSet.of(Verb.MUTATION_REQ, Verb.READ_REQ, Verb.RANGE_REQ);
  private static final Set<Verb> ANSWERS =
      EnumSet.of(Verb.MUTATION_RSP, Verb.READ_RSP, Verb.RANGE_RSP, Verb.FAILURE_RSP);

  private final ServerNode server;
  private final Contexts contexts;
  private final AtomicBoolean warned = new AtomicBoolean();

  private PeerMessages(ServerNode server) {
    this.server = server;
    this.contexts = new Contexts(server);
  }

  /** Filters messages from now on. Once for a server. */
  public static void follow(ServerNode server) {
    PeerMessages messages = new PeerMessages(server);
    MessagingService.instance().outboundSink.add(messages::isSentAsItIs);
    MessagingService.instance().inboundSink.add(messages::isCarriedOut);
  }

  private boolean isSentAsItIs(Message<?> message, InetAddressAndPort to) {
    RequestState state = RequestState.current();
    boolean isOurs = REQUESTS.contains(message.verb()) || ANSWERS.contains(message.verb());
    if (state == null || !isOurs || message.header.customParams() != null) {
      return true;
    }
    FenceState fence = server.fence();
    Verdict verdict =
        ANSWERS.contains(message.verb()) ? Verdict.of(fence, state.epoch()) : Verdict.SERVED;
    if (fence == null || verdict == Verdict.SERVED) {
      send(message, contexts.of(state.epoch()), to);
    } else {
      // An answer counts only if its epoch has lasted until now.
      Message<?> request = state.request();
      Message<?> answer =
          request != null && message.verb() == Verb.FAILURE_RSP
              ? answer(request, verdict)
              : message;
      send(answer, Context.refused(fence.epoch()), to);
    }
    return false;
  }

  /** With the same id, so that its answer finds the callback. */
  private static void send(Message<?> message, Context context, InetAddressAndPort to) {
    Map<String, byte[]> params = Map.of(Context.KEY, context.encode());
    MessagingService.instance().send(message.withParam(ParamType.CUSTOM_MAP, params), to);
  }

  private boolean isCarriedOut(Message<?> message) {
    Context context = contextOf(message);
    if (context == null) {
      return true;
    }
    receive(message, context);
    if (!REQUESTS.contains(message.verb())) {
      return true;
    }
    FenceState fence = server.fence();
    Verdict verdict = Verdict.of(fence, context.epoch());
    if (fence == null || verdict == Verdict.SERVED) {
      RequestState.begin(context.epoch(), message);
      return true;
    }
    send(answer(message, verdict), Context.refused(fence.epoch()), message.respondTo());
    return false;
  }

  /** A clock that is too far ahead orders nothing; its message is carried out. */
  private void receive(Message<?> message, Context context) {
    try {
      contexts.received(context);
    } catch (ClockDriftException ahead) {
      if (warned.compareAndSet(false, true)) {
        log.warn("server={} state=CLOCK_AHEAD: {}", message.from(), ahead.getMessage());
      }
    }
  }

  /**
   * A mutation of a past epoch has an answer like one that was applied: after a failure, the
   * coordinator would keep a hint of it, and deliver it in this epoch. The coordinator learns from
   * the context that it must refuse the client's request.
   */
  private static Message<?> answer(Message<?> message, Verdict verdict) {
    return verdict == Verdict.OVER && message.verb() == Verb.MUTATION_REQ
        ? message.emptyResponse()
        : message.failureResponse(RequestFailureReason.UNKNOWN);
  }

  /** Null if it has none, or one of another version. */
  private static @Nullable Context contextOf(Message<?> message) {
    Map<String, byte[]> params = message.header.customParams();
    byte[] bytes = params == null ? null : params.get(Context.KEY);
    try {
      return bytes == null ? null : Context.decode(bytes);
    } catch (IllegalArgumentException e) {
      return null;
    }
  }
}
