package io.palinode.voldemort;

import io.palinode.hvc.Hvc;
import org.jspecify.annotations.Nullable;

/**
 * The client of a request, as far as its context names it.
 *
 * @param hvc the maximum of all HVCs that the client has received
 * @param epoch the client's epoch
 * @param client its id; empty if unknown
 * @param origin of a copy: the first acceptor of the version
 * @param readAt of a read repair: the node that the client read the version at. The client is not
 *     its writer; the origin may be any node, or unknown
 * @param isUnproven whether the request claimed to be a copy, without the proof that the nodes
 *     need: the first acceptor is unknown
 */
public record Caller(
    @Nullable Hvc hvc,
    @Nullable Long epoch,
    String client,
    @Nullable Integer origin,
    @Nullable Integer readAt,
    boolean isUnproven) {
  /** A client that sends no context. */
  public static final Caller STOCK = new Caller(null, null, "", null);

  /** The prefix of a router's client id; a router sends requests for other clients. */
  public static final String ROUTER = "router-";

  /** For a request whose claims are believed. */
  public Caller(
      @Nullable Hvc hvc,
      @Nullable Long epoch,
      String client,
      @Nullable Integer origin,
      @Nullable Integer readAt) {
    this(hvc, epoch, client, origin, readAt, false);
  }

  /** For any request except a read repair. */
  public Caller(@Nullable Hvc hvc, @Nullable Long epoch, String client, @Nullable Integer origin) {
    this(hvc, epoch, client, origin, null);
  }

  /** The same for a put that is no copy as far as this node knows. */
  public Caller unproven() {
    return new Caller(hvc, epoch, client, null, null, true);
  }

  /** The writer of the version; empty if unknown. */
  String writer() {
    return readAt == null ? client : "";
  }

  /** The writer for the access log; see {@link #follower}. */
  String followedWriter() {
    return readAt == null ? follower() : "";
  }

  /**
   * The client for the access log; empty if unknown. A router serves many clients, and each may use
   * another router next.
   */
  String follower() {
    return client.startsWith(ROUTER) ? "" : client;
  }

  /** Whether this write is a copy at {@code node}, which is then not its first acceptor. */
  boolean isCopyAt(int node) {
    return readAt != null || (origin != null && origin != node);
  }

  /** The first acceptor of this caller's write, if {@code node} accepts it now; null if unknown. */
  @Nullable Integer originAt(int node) {
    if (origin != null || readAt != null) {
      return origin;
    }
    return client.isEmpty() || isUnproven ? null : node;
  }

  /**
   * The origin in a write event: as {@link #originAt}, but a read repair never originates at {@code
   * node}. It may repair a version that {@code node} accepted first and has lost or deleted since.
   */
  @Nullable Integer eventOriginAt(int node) {
    return readAt == null || (origin != null && origin != node) ? originAt(node) : readAt;
  }
}
