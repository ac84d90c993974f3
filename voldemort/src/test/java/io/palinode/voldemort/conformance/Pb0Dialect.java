package io.palinode.voldemort.conformance;

import com.google.protobuf.ByteString;
import io.palinode.voldemort.conformance.Answer.Version;
import io.palinode.voldemort.protocol.Pb0;
import io.palinode.voldemort.vp.WireBytes;
import java.io.DataInputStream;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Protocol buffers, as a stock client writes them: without any field of ours. */
record Pb0Dialect() implements Dialect {
  @Override
  public String protocol() {
    return "pb0";
  }

  @Override
  public boolean knowsRoute(int route) {
    return true;
  }

  @Override
  public byte[] request(Call call) {
    Pb0.VoldemortRequest.Builder request =
        Pb0.VoldemortRequest.newBuilder()
            .setType(Pb0.RequestType.valueOf(call.op().name()))
            .setShouldRoute(call.route() == 1)
            .setStore(call.store());
    if (call.route() == 2) {
      request.setRequestRouteType(2);
    }
    ByteString key = call.keys().isEmpty() ? ByteString.EMPTY : bytes(call.key());
    Pb0.VectorClock clock = clock(call.clock());
    switch (call.op()) {
      case GET, GET_VERSION -> request.setGet(Pb0.GetRequest.newBuilder().setKey(key));
      case GET_ALL -> call.keys().forEach(one -> request.getGetAllBuilder().addKeys(bytes(one)));
      case PUT ->
          request.setPut(
              Pb0.PutRequest.newBuilder()
                  .setKey(key)
                  .setVersioned(
                      Pb0.Versioned.newBuilder().setValue(bytes(call.value())).setVersion(clock)));
      case DELETE ->
          request.setDelete(Pb0.DeleteRequest.newBuilder().setKey(key).setVersion(clock));
    }
    if (call.op() == Call.Op.GET_ALL && call.keys().isEmpty()) {
      request.setGetAll(Pb0.GetAllRequest.getDefaultInstance());
    }
    return frame(request.build().toByteArray());
  }

  static byte[] frame(byte[] body) {
    return new WireBytes().array(body).toBytes();
  }

  private static ByteString bytes(String chars) {
    return ByteString.copyFrom(Dialect.bytes(chars));
  }

  private static Pb0.VectorClock clock(Clock clock) {
    Pb0.VectorClock.Builder proto = Pb0.VectorClock.newBuilder().setTimestamp(clock.timestamp());
    clock
        .counters()
        .forEach(
            (node, counter) ->
                proto.addEntries(Pb0.ClockEntry.newBuilder().setNodeId(node).setVersion(counter)));
    return proto.build();
  }

  @Override
  public Answer read(Call.Op op, DataInputStream in) throws IOException {
    byte[] body = new byte[in.readInt()];
    in.readFully(body);
    return switch (op) {
      case GET -> {
        Pb0.GetResponse answer = Pb0.GetResponse.parseFrom(body);
        yield answer.hasError()
            ? error(answer.getError())
            : new Answer.Versions(versions(answer.getVersionedList()));
      }
      case GET_VERSION -> {
        Pb0.GetVersionResponse answer = Pb0.GetVersionResponse.parseFrom(body);
        yield answer.hasError()
            ? error(answer.getError())
            : new Answer.Clocks(answer.getVersionsList().stream().map(Pb0Dialect::clock).toList());
      }
      case GET_ALL -> keyed(Pb0.GetAllResponse.parseFrom(body));
      case PUT -> {
        Pb0.PutResponse answer = Pb0.PutResponse.parseFrom(body);
        yield answer.hasError() ? error(answer.getError()) : new Answer.Done();
      }
      case DELETE -> {
        Pb0.DeleteResponse answer = Pb0.DeleteResponse.parseFrom(body);
        yield answer.hasError()
            ? error(answer.getError())
            : new Answer.Deleted(answer.getSuccess());
      }
    };
  }

  private static Answer keyed(Pb0.GetAllResponse answer) throws IOException {
    if (answer.hasError()) {
      return error(answer.getError());
    }
    Map<String, List<Version>> keyed = new TreeMap<>();
    for (Pb0.KeyedVersions one : answer.getValuesList()) {
      String key = Dialect.chars(one.getKey().toByteArray());
      if (keyed.put(key, versions(one.getVersionsList())) != null) {
        throw new IOException("a key must be returned once: twice " + key);
      }
    }
    return new Answer.Keyed(keyed);
  }

  private static List<Version> versions(List<Pb0.Versioned> versions) {
    return versions.stream()
        .map(
            one ->
                new Version(clock(one.getVersion()), Dialect.chars(one.getValue().toByteArray())))
        .toList();
  }

  private static String clock(Pb0.VectorClock proto) {
    TreeMap<Integer, Long> counters = new TreeMap<>();
    proto.getEntriesList().forEach(entry -> counters.put(entry.getNodeId(), entry.getVersion()));
    return new Clock(counters, proto.getTimestamp()).toString();
  }

  private static Answer error(Pb0.Error error) {
    return new Answer.Refused(error.getErrorCode(), error.getErrorMessage());
  }
}
