package io.palinode.voldemort.request;

import io.palinode.voldemort.Caller;
import io.palinode.voldemort.Reply;
import io.palinode.voldemort.access.CopyProofs;
import io.palinode.voldemort.access.CopyProofs.Held;
import io.palinode.voldemort.protocol.Pb0.RequestContext;
import io.palinode.voldemort.protocol.Pb0.ResponseContext;
import io.palinode.voldemort.protocol.Pb0.VoldemortRequest;
import io.palinode.voldemort.protocol.VectorClock;
import io.palinode.voldemort.protocol.Versioned;
import org.jspecify.annotations.Nullable;

/**
 * Decides whether a put is a copy, and gives clients the proofs for theirs. A delete opens no
 * interval, so it needs no proof. Thread-safe.
 *
 * @param proofs null: each copy is believed
 */
record CopyContexts(int node, @Nullable CopyProofs proofs) {

  /** The caller of a put; of a copy without its proof, as the writer of a version. */
  Caller of(VoldemortRequest request, Versioned put, Caller caller) {
    RequestContext context = request.getPalinode();
    Integer from = caller.readAt() == null ? caller.origin() : caller.readAt();
    if (proofs == null || from == null || (caller.readAt() == null && from == node)) {
      return caller;
    }
    byte[] key = request.getPut().getKey().toByteArray();
    Held held = held(from, context.getEpoch(), request.getStore(), key, put);
    boolean isProven = context.hasEpoch() && proofs.holds(held, context.getProof());
    return isProven ? caller : caller.unproven();
  }

  /** The context of an answer to a put, with a proof if the node has accepted it. */
  ResponseContext accepted(VoldemortRequest request, ResponseContext context) {
    if (proofs == null || !context.hasAcceptedAt() || !context.hasEpoch()) {
      return context;
    }
    byte[] key = request.getPut().getKey().toByteArray();
    Versioned put =
        new Versioned(
            request.getPut().getVersioned().getValue().toByteArray(),
            VectorClock.fromProto(request.getPut().getVersioned().getVersion()));
    Held held = held(node, context.getEpoch(), request.getStore(), key, put);
    return context.toBuilder().setProof(proofs.proof(held, context.getAcceptedAt())).build();
  }

  /** A version that a client read, with a proof for a repair; none if it is of the past. */
  Versioned read(VoldemortRequest request, Versioned version, Reply<?> reply) {
    if (proofs == null || PastRequests.isOfThePast(request.getGet())) {
      return version;
    }
    byte[] key = request.getGet().getKey().toByteArray();
    Held held = held(node, reply.epoch(), request.getStore(), key, version);
    return version.withProof(proofs.proof(held, reply.hvc().own()));
  }

  private static Held held(int node, long epoch, String store, byte[] key, Versioned version) {
    return new Held(node, epoch, store, key, version.clock().encode(), version.value());
  }
}
