package io.palinode.voldemort;

import io.palinode.hvc.Hvc;
import org.jspecify.annotations.Nullable;

/**
 * What a request tells of its client; everything may be missing.
 *
 * @param hvc what the client knows of the clocks
 * @param epoch the epoch that it works in
 * @param client its id, empty when unknown
 * @param origin on a replica copy: the node that accepted the version first
 * @param readAt on a read repair, of which the client is not the writer: the node that it read the
 *     version at; its origin may be any node, or not known
 */
public record Caller(
    @Nullable Hvc hvc,
    @Nullable Long epoch,
    String client,
    @Nullable Integer origin,
    @Nullable Integer readAt) {
  /** A client that knows nothing of us. */
  public static final Caller STOCK = new Caller(null, null, "", null);

  /** What the name of a node begins with that routes requests of others. */
  public static final String ROUTER = "router-";

  /** Of anything but a read repair. */
  public Caller(@Nullable Hvc hvc, @Nullable Long epoch, String client, @Nullable Integer origin) {
    this(hvc, epoch, client, origin, null);
  }

  /** Who wrote what it sends; empty when that is not known. */
  String writer() {
    return readAt == null ? client : "";
  }

  /** The same for those that are followed; see {@link #follower}. */
  String followedWriter() {
    return readAt == null ? follower() : "";
  }

  /**
   * Who it is that reads and writes; empty when that is not known. Behind a router there are many,
   * and each may ask another router next.
   */
  String follower() {
    return client.startsWith(ROUTER) ? "" : client;
  }

  /** Whether {@code node} is not the first one that is asked for this write. */
  boolean isCopyAt(int node) {
    return readAt != null || (origin != null && origin != node);
  }

  /** The node that accepted the write of this caller first, when {@code node} accepts it now. */
  @Nullable Integer originAt(int node) {
    if (origin != null || readAt != null) {
      return origin;
    }
    return client.isEmpty() ? null : node;
  }

  /**
   * The same for the detector, to which a copy is what another node accepted first. So is a repair:
   * also of what {@code node} itself had accepted, and has lost, or deleted, since.
   */
  @Nullable Integer toldOriginAt(int node) {
    return readAt == null || (origin != null && origin != node) ? originAt(node) : readAt;
  }
}
