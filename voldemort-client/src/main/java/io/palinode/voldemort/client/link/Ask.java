package io.palinode.voldemort.client.link;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.protobuf.ByteString;
import io.palinode.voldemort.client.session.Session;
import io.palinode.voldemort.protocol.Pb0;
import io.palinode.voldemort.protocol.VectorClock;
import io.palinode.voldemort.protocol.Versioned;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A request, without what the session adds to it, and how its answer is read.
 *
 * @param origin on a copy: the node that accepted this version first; {@link #NO_ORIGIN} when it is
 *     none, and on a repair when it is not known
 * @param readAt on a repair: the node on which this version was read; else {@link #NO_ORIGIN}
 * @param proof of a copy or a repair: what the node returned that has the version; or empty
 * @param probe looks for the end of a rollback, so it is not given up when one begins
 */
public record Ask<T>(
    Pb0.VoldemortRequest request,
    Answer.Reader<T> reader,
    int origin,
    int readAt,
    ByteString proof,
    boolean probe) {
  public static final int NO_ORIGIN = Session.NO_ORIGIN;
  private static final String METADATA = "metadata";

  private static final int ROUTE_NORMAL = 0;
  private static final int ROUTE_IGNORE_CHECKS = 2;

  private static <T> Ask<T> of(Pb0.VoldemortRequest.Builder request, Answer.Reader<T> reader) {
    return new Ask<>(request.build(), reader, NO_ORIGIN, NO_ORIGIN, ByteString.EMPTY, false);
  }

  private static Pb0.VoldemortRequest.Builder request(Pb0.RequestType type, String store) {
    return Pb0.VoldemortRequest.newBuilder()
        .setType(type)
        .setShouldRoute(false)
        .setStore(store)
        .setRequestRouteType(ROUTE_NORMAL);
  }

  private static Pb0.GetRequest.Builder part(byte[] key) {
    return Pb0.GetRequest.newBuilder().setKey(ByteString.copyFrom(key));
  }

  public static Ask<List<Versioned>> get(String store, byte[] key) {
    return of(request(Pb0.RequestType.GET, store).setGet(part(key)), Answer::get);
  }

  /**
   * @param origins whether the node returns origins, for read repair; a stock node does not
   */
  public static Ask<Answer.Found> read(String store, byte[] key, boolean origins) {
    Pb0.GetRequest.Builder get = part(key);
    if (origins) {
      get.setOrigins(true);
    }
    return of(request(Pb0.RequestType.GET, store).setGet(get), Answer::found);
  }

  /**
   * States that this node returned an old version. A node that does not look for that answers as to
   * any read.
   */
  public static Ask<List<Versioned>> staleRead(String store, byte[] key, Pb0.StaleRead stale) {
    return of(
        request(Pb0.RequestType.GET, store).setGet(part(key).setStaleRead(stale)), Answer::get);
  }

  /** What the key was; from a node of ours only. */
  public static Ask<List<Versioned>> getAsOf(String store, byte[] key, long hlc) {
    return of(
        request(Pb0.RequestType.GET, store).setGet(part(key).setAsOf(hlc)),
        frame -> Answer.getAsOf(frame, hlc));
  }

  /** What the key is in a snapshot; from a node of ours only. */
  public static Ask<List<Versioned>> getInSnapshot(
      String store, byte[] key, String snapshot, long number) {
    return of(
        request(Pb0.RequestType.GET, store)
            .setGet(part(key).setSnapshot(snapshot).setSnapshotNumber(number)),
        frame -> Answer.getInSnapshot(frame, snapshot));
  }

  /** A question about the past of a node; only for a node that answers such questions. */
  public static Ask<Pb0.PastResponse> past(String store, Pb0.PastRequest question) {
    return of(request(Pb0.RequestType.PAST, store).setPast(question), Answer::past);
  }

  public static Ask<List<Versioned>> metadata(String key) {
    return get(METADATA, key.getBytes(UTF_8));
  }

  public static Ask<List<VectorClock>> getVersion(String store, byte[] key) {
    return of(request(Pb0.RequestType.GET_VERSION, store).setGet(part(key)), Answer::getVersion);
  }

  public static Ask<Answer.Accepted> put(String store, byte[] key, Versioned version) {
    return put(store, key, version, null);
  }

  /**
   * @param seen the clocks of the versions of the key that the writer has seen; null: not stated
   */
  public static Ask<Answer.Accepted> put(
      String store, byte[] key, Versioned version, @Nullable List<VectorClock> seen) {
    Pb0.PutRequest.Builder put =
        Pb0.PutRequest.newBuilder()
            .setKey(ByteString.copyFrom(key))
            .setVersioned(version.toProto());
    if (seen != null) {
      Pb0.Seen.Builder clocks = Pb0.Seen.newBuilder();
      seen.forEach(clock -> clocks.addClocks(ByteString.copyFrom(clock.encode())));
      put.setSeen(clocks);
    }
    return of(request(Pb0.RequestType.PUT, store).setPut(put), Answer::put);
  }

  public static Ask<Answer.Accepted> delete(String store, byte[] key, VectorClock clock) {
    return of(
        request(Pb0.RequestType.DELETE, store)
            .setDelete(
                Pb0.DeleteRequest.newBuilder()
                    .setKey(ByteString.copyFrom(key))
                    .setVersion(clock.toProto())),
        Answer::delete);
  }

  public Ask<T> asCopyOf(int firstNode, ByteString firstProof) {
    return new Ask<>(request, reader, firstNode, NO_ORIGIN, firstProof, probe);
  }

  /**
   * What a reader sends to a node that lacks the version.
   *
   * @param firstNode {@link #NO_ORIGIN} when it is not known
   */
  public Ask<T> asRepairOf(int firstNode, int readAtNode, ByteString readProof) {
    return new Ask<>(request, reader, firstNode, readAtNode, readProof, probe);
  }

  public boolean isRepair() {
    return readAt != NO_ORIGIN;
  }

  /** Whatever the ring says, the node that is asked is meant. */
  public Ask<T> ignoringChecks() {
    Pb0.VoldemortRequest ignoring =
        request.toBuilder().setRequestRouteType(ROUTE_IGNORE_CHECKS).build();
    return new Ask<>(ignoring, reader, origin, readAt, proof, probe);
  }

  public Ask<T> asProbe() {
    return new Ask<>(request, reader, origin, readAt, proof, true);
  }
}
