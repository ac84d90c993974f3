package io.palinode.voldemort.request;

import com.google.protobuf.ByteString;
import com.google.protobuf.MessageLite;
import io.palinode.detector.binding.SeenBefore;
import io.palinode.detector.binding.StoreKey;
import io.palinode.detector.binding.Version;
import io.palinode.retroscope.snapshot.LocalSnapshots;
import io.palinode.voldemort.Caller;
import io.palinode.voldemort.RefusedException;
import io.palinode.voldemort.Reply;
import io.palinode.voldemort.StoreNode;
import io.palinode.voldemort.access.CopyProofs;
import io.palinode.voldemort.protocol.ErrorCode;
import io.palinode.voldemort.protocol.Frames;
import io.palinode.voldemort.protocol.Pb0;
import io.palinode.voldemort.protocol.Pb0.DeleteResponse;
import io.palinode.voldemort.protocol.Pb0.GetAllResponse;
import io.palinode.voldemort.protocol.Pb0.GetResponse;
import io.palinode.voldemort.protocol.Pb0.GetVersionResponse;
import io.palinode.voldemort.protocol.Pb0.KeyedVersions;
import io.palinode.voldemort.protocol.Pb0.PastResponse;
import io.palinode.voldemort.protocol.Pb0.PutResponse;
import io.palinode.voldemort.protocol.Pb0.ResponseContext;
import io.palinode.voldemort.protocol.Pb0.VoldemortRequest;
import io.palinode.voldemort.protocol.VectorClock;
import io.palinode.voldemort.protocol.Versioned;
import io.palinode.voldemort.vp.Route;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Answers pb0 requests, each with the response of its type, as a stock node does. For an unknown
 * store, a stock node closes the connection of a GET_VERSION; this one answers with an error.
 * Thread-safe; blocks on storage.
 */
public final class Pb0Requests {
  /** Versions that a put may state as seen. */
  private static final int SEEN_MAX = 64;

  /** Of a value that a client read; see {@code StaleRead.value_bytes}. */
  private static final int VALUE_STATED_MAX = 1 << 10;

  private final StoreNode node;
  private final StoreRequests requests;
  private final Contexts contexts;
  private final PastRequests past;
  private final CopyContexts copies;

  /** For a node that speaks only this protocol. */
  public Pb0Requests(StoreNode node, LocalSnapshots snapshots) {
    this(node, new StoreRequests(node), snapshots, null);
  }

  /**
   * For a node that also speaks the native protocols, or routes.
   *
   * @param proofs null: each copy is believed
   */
  public Pb0Requests(
      StoreNode node,
      StoreRequests requests,
      LocalSnapshots snapshots,
      @Nullable CopyProofs proofs) {
    this.node = node;
    this.requests = requests;
    this.contexts = new Contexts(node, true);
    this.past = new PastRequests(node, snapshots);
    this.copies = new CopyContexts(node.node(), proofs);
  }

  public MessageLite answer(VoldemortRequest request) {
    MessageLite answer = answer(request, operation -> operation);
    int bytes = answer.getSerializedSize();
    return bytes <= Frames.MESSAGE_BYTES_MAX
        ? answer
        : refuse(
            request,
            "an answer must be at most %d bytes: bytes=%d: ask for fewer keys at once"
                .formatted(Frames.MESSAGE_BYTES_MAX, bytes));
  }

  /** Whether the node forwards the request to others. */
  public boolean isRouted(VoldemortRequest request) {
    boolean routed =
        request.hasRequestRouteType()
            ? Route.of(request.getRequestRouteType()) == Route.ROUTED
            : request.getShouldRoute();
    return routed && requests.routes(request.getStore());
  }

  /** The answer to a routed request above the limit. */
  public MessageLite refuseRouted(VoldemortRequest request) {
    return refuse(request, requests::tooManyRouted);
  }

  /** Whether the request reads so much that others should not wait for it. */
  public boolean isBulk(VoldemortRequest request) {
    return switch (request.getType()) {
      case GET, GET_VERSION -> PastRequests.isOfThePast(request.getGet());
      case PAST -> PastRequests.isBulk(request.getPast());
      case GET_ALL, PUT, DELETE -> false;
    };
  }

  /** The answer to a bulk request that meets as many others as a node takes. */
  public MessageLite refuseBulk(VoldemortRequest request, int others) {
    return refuse(
        request,
        "node %d is busy with %d other requests of this kind: try again later"
            .formatted(node.node(), others));
  }

  /** The refusal of an unparsed request: of its type, without a context. */
  public MessageLite refuse(Pb0Scan.TooMuch tooMuch) {
    return refuse(
        VoldemortRequest.newBuilder().setType(tooMuch.type()).buildPartial(), tooMuch.why());
  }

  /** The answer to a request that is refused for this reason. */
  public MessageLite refuse(VoldemortRequest request, String why) {
    return refuse(request, () -> node.admission().refuse(ErrorCode.VOLDEMORT, why));
  }

  private MessageLite refuse(VoldemortRequest request, Supplier<RefusedException> why) {
    Operation refusal =
        caller -> {
          throw why.get();
        };
    return answer(request, operation -> refusal);
  }

  @FunctionalInterface
  private interface Operation {
    Reply<?> run(Caller caller) throws RefusedException;
  }

  /**
   * The response of the request's type. Each type has its error in another field: with a wrong
   * type, a refusal would read as success.
   *
   * @param admission what is done instead of an operation
   */
  private MessageLite answer(VoldemortRequest request, UnaryOperator<Operation> admission) {
    return switch (request.getType()) {
      case GET -> {
        GetResponse.Builder out = GetResponse.newBuilder();
        Operation operation = caller -> get(request, caller, out);
        respond(request, admission.apply(operation), new Outcome(out::setError, out::setPalinode));
        yield out.build();
      }
      case GET_ALL -> {
        GetAllResponse.Builder out = GetAllResponse.newBuilder();
        Operation operation = caller -> getAll(request, caller, out);
        respond(request, admission.apply(operation), new Outcome(out::setError, out::setPalinode));
        yield out.build();
      }
      case GET_VERSION -> {
        GetVersionResponse.Builder out = GetVersionResponse.newBuilder();
        Operation operation = caller -> getVersion(request, caller, out);
        respond(request, admission.apply(operation), new Outcome(out::setError, out::setPalinode));
        yield out.build();
      }
      case PUT -> {
        PutResponse.Builder out = PutResponse.newBuilder();
        Operation operation = caller -> put(request, caller);
        respond(
            request,
            admission.apply(operation),
            new Outcome(
                out::setError, context -> out.setPalinode(copies.accepted(request, context))));
        yield out.build();
      }
      case DELETE -> {
        DeleteResponse.Builder out = DeleteResponse.newBuilder().setSuccess(false);
        Operation operation = caller -> delete(request, caller, out);
        respond(request, admission.apply(operation), new Outcome(out::setError, out::setPalinode));
        yield out.build();
      }
      case PAST -> {
        PastResponse.Builder out = PastResponse.newBuilder();
        Operation operation = caller -> requests.unfenced(past.answer(request, out));
        respond(request, admission.apply(operation), new Outcome(out::setError, out::setPalinode));
        yield out.build();
      }
    };
  }

  private Reply<?> get(VoldemortRequest request, Caller caller, GetResponse.Builder out)
      throws RefusedException {
    Reply<List<Versioned>> reply = versions(request, caller);
    boolean origins = request.getGet().getOrigins();
    for (Versioned version : reply.value()) {
      out.addVersioned(
          origins ? copies.read(request, version, reply).toProtoWithOrigin() : version.toProto());
    }
    PastRequests.echo(request.getGet(), out);
    return request.getGet().hasStaleRead() ? readStale(request, caller) : reply;
  }

  private Reply<?> readStale(VoldemortRequest request, Caller caller) throws RefusedException {
    Pb0.StaleRead stale = request.getGet().getStaleRead();
    Versioned read = versioned(stale.getRead());
    VectorClock before = clock(stale.getBefore());
    if (read.value().length > VALUE_STATED_MAX
        || read.clock().compare(before) != VectorClock.Relation.BEFORE) {
      throw node.admission()
          .refuse(
              ErrorCode.VOLDEMORT,
              "a stale read needs a later version, and at most %d bytes of a value: bytes=%d read=%s before=%s"
                  .formatted(VALUE_STATED_MAX, read.value().length, read.clock(), before));
    }
    StoreKey key = requests.held(target(request), request.getGet().getKey().toByteArray());
    Version of =
        new Version(
            read.value(),
            Math.max(read.value().length, stale.getValueBytes()),
            read.clock().identityBytes(),
            read.clock().timestampMs(),
            null);
    Version later = new Version(new byte[0], 0, before.identityBytes(), before.timestampMs(), null);
    return node.writes()
        .readStale(key, of, new SeenBefore(later, stale.getWritten()), stale.getAgain(), caller);
  }

  private Reply<?> getVersion(
      VoldemortRequest request, Caller caller, GetVersionResponse.Builder out)
      throws RefusedException {
    Reply<List<Versioned>> reply = versions(request, caller);
    reply.value().forEach(version -> out.addVersions(version.clock().toProto()));
    return reply;
  }

  /** Absent keys have no entry in the response. */
  private Reply<?> getAll(VoldemortRequest request, Caller caller, GetAllResponse.Builder out)
      throws RefusedException {
    requirePart(request.hasGetAll(), "getAll");
    List<byte[]> keys = StoreRequests.distinct(keys(request.getGetAll()));
    Reply<List<List<Versioned>>> reply = requests.getAll(target(request), keys, caller);
    for (int i = 0; i < keys.size(); i++) {
      addKeyed(out, keys.get(i), reply.value().get(i));
    }
    return reply;
  }

  private Reply<?> put(VoldemortRequest request, Caller caller) throws RefusedException {
    requirePart(request.hasPut(), "put");
    byte[] key = request.getPut().getKey().toByteArray();
    Versioned put = versioned(request.getPut().getVersioned());
    Caller writer = copies.of(request, put, caller);
    return requests.put(target(request), key, put, writer, seen(request.getPut()));
  }

  /** Null if the writer does not state what it has seen. */
  private @Nullable List<VectorClock> seen(Pb0.PutRequest put) throws RefusedException {
    if (!put.hasSeen()) {
      return null;
    }
    if (put.getSeen().getClocksCount() > SEEN_MAX) {
      throw node.admission()
          .refuse(
              ErrorCode.VOLDEMORT,
              "a put must name at most %d versions that were seen: clocks=%d"
                  .formatted(SEEN_MAX, put.getSeen().getClocksCount()));
    }
    try {
      return put.getSeen().getClocksList().stream()
          .map(clock -> VectorClock.decode(clock.toByteArray()))
          .toList();
    } catch (IllegalArgumentException e) {
      throw node.admission().refuse(ErrorCode.VOLDEMORT, String.valueOf(e.getMessage()));
    }
  }

  private Reply<?> delete(VoldemortRequest request, Caller caller, DeleteResponse.Builder out)
      throws RefusedException {
    requirePart(request.hasDelete(), "delete");
    byte[] key = request.getDelete().getKey().toByteArray();
    VectorClock upTo = clock(request.getDelete().getVersion());
    Reply<Boolean> reply = requests.delete(target(request), key, upTo, caller);
    out.setSuccess(reply.value());
    return reply;
  }

  /** The setters of a response's error and context. */
  private record Outcome(Consumer<Pb0.Error> error, Consumer<ResponseContext> context) {
    void refuse(RefusedException refused) {
      error.accept(refused.code().toProto(String.valueOf(refused.getMessage())));
    }
  }

  private void respond(VoldemortRequest request, Operation operation, Outcome outcome) {
    boolean knowsEpoch = request.getPalinode().hasEpoch();
    ResponseContext context;
    try {
      context = contexts.of(run(request, operation), knowsEpoch);
    } catch (RefusedException refused) {
      outcome.refuse(refused);
      Pb0.RequestContext asked = request.getPalinode();
      Long epoch = knowsEpoch ? asked.getEpoch() : null;
      context = contexts.of(refused, asked.getClient(), epoch);
    }
    if (request.hasPalinode()) {
      outcome.context().accept(context);
    }
  }

  private Reply<?> run(VoldemortRequest request, Operation operation) throws RefusedException {
    return requests.run(target(request), () -> operation.run(contexts.caller(request)));
  }

  private StoreRequests.Target target(VoldemortRequest request) throws RefusedException {
    Route route =
        request.hasRequestRouteType()
            ? Route.of(request.getRequestRouteType())
            : Route.of(request.getShouldRoute());
    if (route == null) {
      throw node.admission()
          .refuse(
              ErrorCode.VOLDEMORT,
              "a route must be 0, 1 or 2: requestRouteType=" + request.getRequestRouteType());
    }
    return new StoreRequests.Target(request.getStore(), route);
  }

  private Reply<List<Versioned>> versions(VoldemortRequest request, Caller caller)
      throws RefusedException {
    requirePart(request.hasGet(), "get");
    StoreRequests.Target target = target(request);
    byte[] key = request.getGet().getKey().toByteArray();
    return PastRequests.isOfThePast(request.getGet()) && !target.isOfTheSystem()
        ? past.versions(requests.held(target, key), request.getGet(), caller)
        : requests.get(target, key, caller);
  }

  private void requirePart(boolean present, String part) throws RefusedException {
    if (!present) {
      throw node.admission()
          .refuse(ErrorCode.VOLDEMORT, "a request of this type needs its part '" + part + "'");
    }
  }

  private Versioned versioned(Pb0.Versioned proto) throws RefusedException {
    return new Versioned(proto.getValue().toByteArray(), clock(proto.getVersion()));
  }

  private VectorClock clock(Pb0.VectorClock proto) throws RefusedException {
    try {
      return VectorClock.fromProto(proto);
    } catch (IllegalArgumentException e) {
      throw node.admission().refuse(ErrorCode.VOLDEMORT, String.valueOf(e.getMessage()));
    }
  }

  private static List<byte[]> keys(Pb0.GetAllRequest request) {
    return request.getKeysList().stream().map(ByteString::toByteArray).toList();
  }

  private static void addKeyed(GetAllResponse.Builder out, byte[] key, List<Versioned> versions) {
    if (!versions.isEmpty()) {
      KeyedVersions.Builder keyed = KeyedVersions.newBuilder().setKey(ByteString.copyFrom(key));
      versions.forEach(version -> keyed.addVersions(version.toProto()));
      out.addValues(keyed);
    }
  }
}
