package io.palinode.simulation.store;

import com.google.protobuf.ByteString;
import com.google.protobuf.MessageLite;
import io.palinode.detector.binding.Version;
import io.palinode.retroscope.snapshot.LocalSnapshots;
import io.palinode.store.node.NodeBinding;
import io.palinode.voldemort.StoreNode;
import io.palinode.voldemort.VoldemortRules;
import io.palinode.voldemort.protocol.ErrorCode;
import io.palinode.voldemort.protocol.Pb0;
import io.palinode.voldemort.protocol.Pb0.RequestType;
import io.palinode.voldemort.protocol.Pb0.ResponseContext;
import io.palinode.voldemort.protocol.Pb0.VoldemortRequest;
import io.palinode.voldemort.protocol.VectorClock;
import io.palinode.voldemort.protocol.Versioned;
import io.palinode.voldemort.request.Pb0Requests;
import java.nio.file.Path;
import java.util.List;

/** A node of Voldemort. Requests pass through production's protocol. */
final class VoldemortNode implements SimulatedNode {
  private static final int ROUTE_IGNORE_CHECKS = 2;

  private final StoreNode node;
  private final Pb0Requests requests;

  VoldemortNode(StoreNode node) {
    this.node = node;
    this.requests =
        new Pb0Requests(node, new LocalSnapshots(node.node(), node.history(), Path.of("unused")));
  }

  @Override
  public NodeBinding binding() {
    return node;
  }

  @Override
  public Answer answer(Request request) {
    return answer(requests.answer(message(request)));
  }

  private static VoldemortRequest message(Request request) {
    VoldemortRequest.Builder message =
        VoldemortRequest.newBuilder()
            .setShouldRoute(false)
            .setStore(SimulatedStore.NAME)
            .setRequestRouteType(0)
            .setPalinode(request.by());
    ByteString key = ByteString.copyFromUtf8(request.key());
    Operation operation = request.operation();
    if (operation instanceof Operation.Put put) {
      Versioned version = VoldemortRules.versioned(put.version());
      Pb0.PutRequest.Builder of =
          Pb0.PutRequest.newBuilder().setKey(key).setVersioned(version.toProto());
      if (put.seen() != null) {
        Pb0.Seen.Builder seen = of.getSeenBuilder();
        put.seen().stated().forEach(c -> seen.addClocks(ByteString.copyFrom(c.encode())));
      }
      return message.setType(RequestType.PUT).setPut(of).build();
    }
    if (operation instanceof Operation.Delete delete) {
      VectorClock upTo = VectorClock.decode(delete.upTo());
      return message
          .setType(RequestType.DELETE)
          .setDelete(Pb0.DeleteRequest.newBuilder().setKey(key).setVersion(upTo.toProto()))
          .build();
    }
    if (operation instanceof Operation.StaleRead read) {
      return message
          .setType(RequestType.GET)
          .setGet(Pb0.GetRequest.newBuilder().setKey(key).setStaleRead(read.stale().toProto()))
          .build();
    }
    Operation.Get get = (Operation.Get) operation;
    return message
        .setType(RequestType.GET)
        .setRequestRouteType(get.unchecked() ? ROUTE_IGNORE_CHECKS : 0)
        .setGet(Pb0.GetRequest.newBuilder().setKey(key).setOrigins(get.origins()))
        .build();
  }

  private static Answer answer(MessageLite made) {
    if (made instanceof Pb0.PutResponse put) {
      return answer(List.of(), put.hasError(), put.getError(), put.getPalinode());
    }
    if (made instanceof Pb0.DeleteResponse delete) {
      return answer(List.of(), delete.hasError(), delete.getError(), delete.getPalinode());
    }
    Pb0.GetResponse get = (Pb0.GetResponse) made;
    List<Version> found =
        get.getVersionedList().stream()
            .map(version -> VoldemortRules.version(Versioned.fromProto(version)))
            .toList();
    return answer(found, get.hasError(), get.getError(), get.getPalinode());
  }

  private static Answer answer(
      List<Version> found, boolean isRefused, Pb0.Error error, ResponseContext context) {
    Answer.Refusal refusal =
        isRefused ? new Answer.Refusal(kind(error), error.getErrorMessage()) : null;
    return new Answer(found, refusal, context);
  }

  private static Answer.Kind kind(Pb0.Error error) {
    if (error.getErrorCode() == ErrorCode.OBSOLETE_VERSION.code()) {
      return Answer.Kind.OBSOLETE;
    }
    return error.getErrorCode() == ErrorCode.UNKNOWN_FAILURE.code()
        ? Answer.Kind.BUG
        : Answer.Kind.REFUSED;
  }
}
