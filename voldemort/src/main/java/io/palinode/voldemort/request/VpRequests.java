package io.palinode.voldemort.request;

import io.palinode.voldemort.Caller;
import io.palinode.voldemort.RefusedException;
import io.palinode.voldemort.StoreNode;
import io.palinode.voldemort.access.StoreUser;
import io.palinode.voldemort.protocol.ErrorCode;
import io.palinode.voldemort.protocol.Versioned;
import io.palinode.voldemort.request.StoreRequests.Target;
import io.palinode.voldemort.vp.Route;
import io.palinode.voldemort.vp.VpAnswer;
import io.palinode.voldemort.vp.VpAnswer.Found;
import io.palinode.voldemort.vp.VpRequest;
import io.palinode.voldemort.vp.VpRequest.Delete;
import io.palinode.voldemort.vp.VpRequest.Get;
import io.palinode.voldemort.vp.VpRequest.GetAll;
import io.palinode.voldemort.vp.VpRequest.GetVersion;
import io.palinode.voldemort.vp.VpRequest.Put;
import io.palinode.voldemort.vp.VpVersion;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/**
 * Answers requests of the native protocols as a stock node does. Their clients send no context:
 * each is a {@link Caller#STOCK}. Thread-safe; blocks on storage.
 */
public final class VpRequests {
  private final StoreNode node;
  private final StoreRequests requests;

  public VpRequests(StoreNode node, StoreRequests requests) {
    this.node = node;
    this.requests = requests;
  }

  /**
   * The work of a request.
   *
   * @param isRouted whether the node forwards it to others
   * @param answer gives the complete answer; blocks on storage, or on those nodes
   */
  public record Work(boolean isRouted, Supplier<byte[]> answer) {}

  /** The work of a complete request of this user; for invalid bytes, a refusal. */
  public Work work(VpVersion version, ByteBuffer bytes, StoreUser user) {
    VpRequest request;
    try {
      request = decode(version, bytes);
      String why = ClientRights.refusal(user, request);
      if (why != null) {
        throw node.admission().refuse(ErrorCode.VOLDEMORT, why);
      }
    } catch (RefusedException refused) {
      return new Work(false, () -> refusal(refused));
    }
    boolean isRouted = request.route() == Route.ROUTED && requests.routes(request.store());
    return new Work(isRouted, () -> answer(request));
  }

  /** The answer to a routed request above the limit. */
  public byte[] refuseRouted() {
    return refusal(requests.tooManyRouted());
  }

  private byte[] answer(VpRequest request) {
    Target target = new Target(request.store(), request.route());
    try {
      return requests.run(target, () -> answerWithinLimit(target, request));
    } catch (RefusedException refused) {
      return refusal(refused);
    }
  }

  private static byte[] refusal(RefusedException refused) {
    return VpAnswer.error(refused.code(), String.valueOf(refused.getMessage()));
  }

  private byte[] answerWithinLimit(Target target, VpRequest request) throws RefusedException {
    try {
      return answer(target, request);
    } catch (VpAnswer.TooLongException e) {
      throw node.admission()
          .refuse(ErrorCode.VOLDEMORT, e.getMessage() + ": ask for fewer keys at once");
    }
  }

  private byte[] answer(Target target, VpRequest request) throws RefusedException {
    if (request instanceof Get get) {
      return VpAnswer.get(versions(target, get.key()));
    }
    if (request instanceof GetVersion get) {
      return VpAnswer.getVersion(versions(target, get.key()));
    }
    if (request instanceof GetAll getAll) {
      return VpAnswer.getAll(found(target, StoreRequests.distinct(getAll.keys())));
    }
    if (request instanceof Put put) {
      var unused = requests.put(target, put.key(), put.versioned(), Caller.STOCK);
      return VpAnswer.put();
    }
    Delete delete = (Delete) request;
    return VpAnswer.delete(
        requests.delete(target, delete.key(), delete.upTo(), Caller.STOCK).value());
  }

  private List<Versioned> versions(Target target, byte[] key) throws RefusedException {
    return requests.get(target, key, Caller.STOCK).value();
  }

  private List<Found> found(Target target, List<byte[]> keys) throws RefusedException {
    List<List<Versioned>> versions = requests.getAll(target, keys, Caller.STOCK).value();
    List<Found> found = new ArrayList<>();
    for (int i = 0; i < keys.size(); i++) {
      if (!versions.get(i).isEmpty()) {
        found.add(new Found(keys.get(i), versions.get(i)));
      }
    }
    return found;
  }

  private VpRequest decode(VpVersion version, ByteBuffer bytes) throws RefusedException {
    try {
      return VpRequest.decode(version, bytes);
    } catch (IllegalArgumentException e) {
      throw node.admission().refuse(ErrorCode.VOLDEMORT, String.valueOf(e.getMessage()));
    }
  }
}
