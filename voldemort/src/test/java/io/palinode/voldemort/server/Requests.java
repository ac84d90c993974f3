package io.palinode.voldemort.server;

import com.google.protobuf.ByteString;
import io.palinode.voldemort.TestNodes;
import io.palinode.voldemort.protocol.Pb0.DeleteRequest;
import io.palinode.voldemort.protocol.Pb0.GetAllRequest;
import io.palinode.voldemort.protocol.Pb0.GetRequest;
import io.palinode.voldemort.protocol.Pb0.PutRequest;
import io.palinode.voldemort.protocol.Pb0.RequestContext;
import io.palinode.voldemort.protocol.Pb0.RequestType;
import io.palinode.voldemort.protocol.Pb0.VoldemortRequest;
import io.palinode.voldemort.protocol.VectorClock;
import io.palinode.voldemort.protocol.Versioned;

/** Requests as clients send them. */
public final class Requests {
  private Requests() {}

  public static VoldemortRequest get(String store, String key) {
    return of(RequestType.GET, store).setGet(getPart(key)).build();
  }

  static VoldemortRequest getVersion(String store, String key) {
    return of(RequestType.GET_VERSION, store).setGet(getPart(key)).build();
  }

  static VoldemortRequest getAll(String store, String... keys) {
    GetAllRequest.Builder part = GetAllRequest.newBuilder();
    for (String key : keys) {
      part.addKeys(ByteString.copyFromUtf8(key));
    }
    return of(RequestType.GET_ALL, store).setGetAll(part).build();
  }

  static VoldemortRequest put(String store, String key, Versioned version) {
    PutRequest.Builder part = PutRequest.newBuilder().setKey(ByteString.copyFromUtf8(key));
    return of(RequestType.PUT, store).setPut(part.setVersioned(version.toProto())).build();
  }

  static VoldemortRequest delete(String store, String key, VectorClock upTo) {
    DeleteRequest.Builder part = DeleteRequest.newBuilder().setKey(ByteString.copyFromUtf8(key));
    return of(RequestType.DELETE, store).setDelete(part.setVersion(upTo.toProto())).build();
  }

  static VoldemortRequest put(String key, String value, long... counters) {
    return put(TestNodes.EVERYWHERE, key, TestNodes.version(value, counters));
  }

  static VoldemortRequest routedAs(int routeType, VoldemortRequest request) {
    return request.toBuilder().setRequestRouteType(routeType).build();
  }

  static VoldemortRequest shouldRoute(VoldemortRequest request) {
    return request.toBuilder().setShouldRoute(true).build();
  }

  static VoldemortRequest with(RequestContext.Builder context, VoldemortRequest request) {
    return request.toBuilder().setPalinode(context).build();
  }

  private static VoldemortRequest.Builder of(RequestType type, String store) {
    return VoldemortRequest.newBuilder().setType(type).setShouldRoute(false).setStore(store);
  }

  private static GetRequest getPart(String key) {
    return GetRequest.newBuilder().setKey(ByteString.copyFromUtf8(key)).build();
  }
}
