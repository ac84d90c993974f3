package io.palinode.voldemort.server;

import com.google.protobuf.ByteString;
import com.google.protobuf.MessageLite;
import io.palinode.detector.StoreKey;
import io.palinode.retroscope.snapshot.LocalSnapshots;
import io.palinode.voldemort.Caller;
import io.palinode.voldemort.RefusedException;
import io.palinode.voldemort.Reply;
import io.palinode.voldemort.StoreNode;
import io.palinode.voldemort.protocol.ErrorCode;
import io.palinode.voldemort.protocol.Pb0;
import io.palinode.voldemort.protocol.Pb0.DeleteResponse;
import io.palinode.voldemort.protocol.Pb0.GetAllResponse;
import io.palinode.voldemort.protocol.Pb0.GetResponse;
import io.palinode.voldemort.protocol.Pb0.GetVersionResponse;
import io.palinode.voldemort.protocol.Pb0.KeyedVersions;
import io.palinode.voldemort.protocol.Pb0.PutResponse;
import io.palinode.voldemort.protocol.Pb0.ResponseContext;
import io.palinode.voldemort.protocol.Pb0.VoldemortRequest;
import io.palinode.voldemort.protocol.VectorClock;
import io.palinode.voldemort.protocol.Versioned;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Answers pb0 requests, each with the response of its type, as a stock node does. Where a stock
 * node closes the connection over an unknown store (GET_VERSION), this one answers with an error.
 * Thread-safe; blocks for as long as storage takes.
 */
public final class Pb0Requests {
  private static final Logger log = LoggerFactory.getLogger(Pb0Requests.class);

  /** A request route type: the client knows that the key is not this node's. */
  private static final int IGNORE_CHECKS = 2;

  private final StoreNode node;
  private final ClusterMetadata metadata;
  private final Contexts contexts;
  private final PastRequests past;

  public Pb0Requests(StoreNode node, LocalSnapshots snapshots) {
    this.node = node;
    this.metadata = new ClusterMetadata(node.config());
    this.contexts = new Contexts(node);
    this.past = new PastRequests(node, snapshots);
  }

  public MessageLite answer(VoldemortRequest request) {
    return switch (request.getType()) {
      case GET -> get(request);
      case GET_ALL -> getAll(request);
      case GET_VERSION -> getVersion(request);
      case PUT -> put(request);
      case DELETE -> delete(request);
    };
  }

  /** Whether it goes through so much that clients should not wait for it. */
  boolean isBulk(VoldemortRequest request) {
    return switch (request.getType()) {
      case GET, GET_VERSION -> PastRequests.isOfThePast(request.getGet());
      case GET_ALL -> PastRequests.isBulk(request.getGetAll());
      case PUT, DELETE -> false;
    };
  }

  /** The answer to a bulk request when there are too many. */
  MessageLite refuseBulk(VoldemortRequest request) {
    Operation refusal =
        caller -> {
          throw node.refuse(
              ErrorCode.VOLDEMORT,
              "node %d is busy with %d other requests of this kind: try again later"
                  .formatted(node.node(), BulkRequests.THREADS + BulkRequests.WAITING_MAX));
        };
    return switch (request.getType()) {
      case GET_ALL -> {
        GetAllResponse.Builder out = GetAllResponse.newBuilder();
        respond(request, refusal, new Outcome(out::setError, out::setPalinode));
        yield out.build();
      }
      case GET_VERSION -> {
        GetVersionResponse.Builder out = GetVersionResponse.newBuilder();
        respond(request, refusal, new Outcome(out::setError, out::setPalinode));
        yield out.build();
      }
      case GET, PUT, DELETE -> {
        GetResponse.Builder out = GetResponse.newBuilder();
        respond(request, refusal, new Outcome(out::setError, out::setPalinode));
        yield out.build();
      }
    };
  }

  private MessageLite get(VoldemortRequest request) {
    GetResponse.Builder out = GetResponse.newBuilder();
    respond(
        request,
        caller -> {
          Reply<List<Versioned>> reply = versions(request, caller);
          reply.value().forEach(version -> out.addVersioned(version.toProto()));
          PastRequests.tellUnderstood(request.getGet(), out);
          return reply;
        },
        new Outcome(out::setError, out::setPalinode));
    return out.build();
  }

  private MessageLite getVersion(VoldemortRequest request) {
    GetVersionResponse.Builder out = GetVersionResponse.newBuilder();
    respond(
        request,
        caller -> {
          Reply<List<Versioned>> reply = versions(request, caller);
          reply.value().forEach(version -> out.addVersions(version.clock().toProto()));
          return reply;
        },
        new Outcome(out::setError, out::setPalinode));
    return out.build();
  }

  /** Absent keys have no entry in the response. */
  private MessageLite getAll(VoldemortRequest request) {
    GetAllResponse.Builder out = GetAllResponse.newBuilder();
    respond(
        request,
        caller -> {
          if (PastRequests.isOfThePast(request.getGetAll())) {
            return unfenced(past.answer(request.getStore(), request.getGetAll(), out));
          }
          List<ByteString> keys = request.getGetAll().getKeysList();
          Reply<List<List<Versioned>>> reply = versionsOfAll(request, keys, caller);
          for (int i = 0; i < keys.size(); i++) {
            addKeyed(out, keys.get(i), reply.value().get(i));
          }
          return reply;
        },
        new Outcome(out::setError, out::setPalinode));
    return out.build();
  }

  private MessageLite put(VoldemortRequest request) {
    PutResponse.Builder out = PutResponse.newBuilder();
    respond(
        request,
        caller -> {
          requirePart(request.hasPut(), "put");
          StoreKey key = writable(request, request.getPut().getKey());
          return node.put(key, versioned(request.getPut().getVersioned()), caller);
        },
        new Outcome(out::setError, out::setPalinode));
    return out.build();
  }

  private MessageLite delete(VoldemortRequest request) {
    DeleteResponse.Builder out = DeleteResponse.newBuilder().setSuccess(false);
    respond(
        request,
        caller -> {
          requirePart(request.hasDelete(), "delete");
          StoreKey key = writable(request, request.getDelete().getKey());
          Reply<Boolean> reply = node.delete(key, clock(request.getDelete().getVersion()), caller);
          out.setSuccess(reply.value());
          return reply;
        },
        new Outcome(out::setError, out::setPalinode));
    return out.build();
  }

  @FunctionalInterface
  private interface Operation {
    Reply<?> run(Caller caller) throws RefusedException;
  }

  /** Where a response takes its error and its context. */
  private record Outcome(Consumer<Pb0.Error> error, Consumer<ResponseContext> context) {
    void refuse(RefusedException refused) {
      error.accept(refused.code().toProto(String.valueOf(refused.getMessage())));
    }
  }

  private void respond(VoldemortRequest request, Operation operation, Outcome outcome) {
    ResponseContext context;
    try {
      context = contexts.of(run(request, operation));
    } catch (RefusedException refused) {
      outcome.refuse(refused);
      context = contexts.of(refused);
    }
    if (request.hasPalinode()) {
      outcome.context().accept(context);
    }
  }

  private Reply<?> run(VoldemortRequest request, Operation operation) throws RefusedException {
    try {
      if (request.getShouldRoute()) {
        throw node.refuse(
            ErrorCode.VOLDEMORT,
            "Unknown store '%s': this node does not route requests".formatted(request.getStore()));
      }
      return operation.run(contexts.caller(request));
    } catch (RuntimeException bug) {
      // The one catch-all of the node: a bug over one request must not end the connection of
      // others that are pipelined behind it.
      log.error("node={} type={} failed", node.node(), request.getType(), bug);
      throw node.refuse(ErrorCode.UNKNOWN_FAILURE, "node " + node.node() + " failed: " + bug);
    }
  }

  private Reply<List<Versioned>> versions(VoldemortRequest request, Caller caller)
      throws RefusedException {
    requirePart(request.hasGet(), "get");
    byte[] key = request.getGet().getKey().toByteArray();
    if (isMetadata(request)) {
      return unfenced(List.of(metadata(key)));
    }
    StoreKey storeKey = new StoreKey(request.getStore(), key);
    requireHeld(request, storeKey);
    return PastRequests.isOfThePast(request.getGet())
        ? past.versions(storeKey, request.getGet(), caller)
        : node.get(storeKey, caller);
  }

  private Reply<List<List<Versioned>>> versionsOfAll(
      VoldemortRequest request, List<ByteString> keys, Caller caller) throws RefusedException {
    requirePart(request.hasGetAll(), "getAll");
    List<byte[]> wanted = keys.stream().map(ByteString::toByteArray).toList();
    if (isMetadata(request)) {
      List<List<Versioned>> found = new ArrayList<>();
      for (byte[] key : wanted) {
        found.add(List.of(metadata(key)));
      }
      return unfenced(found);
    }
    for (byte[] key : wanted) {
      requireHeld(request, new StoreKey(request.getStore(), key));
    }
    return node.getAll(request.getStore(), wanted, caller);
  }

  /** Metadata is read while the node is paused too: a client must be able to bootstrap. */
  private <T> Reply<T> unfenced(T value) {
    return new Reply<>(value, node.lastReading(), 0, node.fence().epoch());
  }

  private Versioned metadata(byte[] key) throws RefusedException {
    Versioned value = metadata.get(key);
    if (value == null) {
      throw node.refuse(ErrorCode.STORE_NOT_FOUND, "no such metadata key");
    }
    return value;
  }

  private StoreKey writable(VoldemortRequest request, ByteString key) throws RefusedException {
    if (isMetadata(request)) {
      throw node.refuse(ErrorCode.UNSUPPORTED_OPERATION, "metadata cannot be written by clients");
    }
    StoreKey storeKey = new StoreKey(request.getStore(), key.toByteArray());
    requireHeld(request, storeKey);
    return storeKey;
  }

  private void requireHeld(VoldemortRequest request, StoreKey key) throws RefusedException {
    if (request.getRequestRouteType() != IGNORE_CHECKS) {
      node.requireHeld(key);
    }
  }

  private void requirePart(boolean present, String part) throws RefusedException {
    if (!present) {
      throw node.refuse(
          ErrorCode.VOLDEMORT, "a request of this type needs its part '" + part + "'");
    }
  }

  private Versioned versioned(Pb0.Versioned proto) throws RefusedException {
    return new Versioned(proto.getValue().toByteArray(), clock(proto.getVersion()));
  }

  private VectorClock clock(Pb0.VectorClock proto) throws RefusedException {
    try {
      return VectorClock.fromProto(proto);
    } catch (IllegalArgumentException e) {
      throw node.refuse(ErrorCode.VOLDEMORT, String.valueOf(e.getMessage()));
    }
  }

  private static boolean isMetadata(VoldemortRequest request) {
    return request.getStore().equals(StoreNode.METADATA);
  }

  private static void addKeyed(
      GetAllResponse.Builder out, ByteString key, List<Versioned> versions) {
    if (!versions.isEmpty()) {
      KeyedVersions.Builder keyed = KeyedVersions.newBuilder().setKey(key);
      versions.forEach(version -> keyed.addVersions(version.toProto()));
      out.addValues(keyed);
    }
  }
}
