package io.palinode.simulation;

import com.google.protobuf.MessageLite;
import io.palinode.simulation.check.BrokenInvariant;
import io.palinode.simulation.check.Invariant;
import io.palinode.voldemort.protocol.ErrorCode;
import io.palinode.voldemort.protocol.Pb0;
import org.jspecify.annotations.Nullable;

/** What nodes answer to a get, a put or a delete. */
final class Responses {
  private Responses() {}

  static Pb0.ResponseContext context(MessageLite answer) {
    if (answer instanceof Pb0.PutResponse put) {
      return put.getPalinode();
    }
    return answer instanceof Pb0.DeleteResponse delete
        ? delete.getPalinode()
        : ((Pb0.GetResponse) answer).getPalinode();
  }

  /** Null: there is none. */
  static Pb0.@Nullable Error error(MessageLite answer) {
    if (answer instanceof Pb0.PutResponse put) {
      return put.hasError() ? put.getError() : null;
    }
    if (answer instanceof Pb0.DeleteResponse delete) {
      return delete.hasError() ? delete.getError() : null;
    }
    Pb0.GetResponse get = (Pb0.GetResponse) answer;
    return get.hasError() ? get.getError() : null;
  }

  /** The key that was asked for, or is to be written. */
  static String key(Pb0.VoldemortRequest request) {
    if (request.hasPut()) {
      return request.getPut().getKey().toStringUtf8();
    }
    return (request.hasDelete() ? request.getDelete().getKey() : request.getGet().getKey())
        .toStringUtf8();
  }

  /** Throws {@link BrokenInvariant} if the answer to a write names a failure of the node itself. */
  static void requireNoBug(MessageLite made) {
    Pb0.Error error = error(made);
    if (!(made instanceof Pb0.GetResponse)
        && error != null
        && error.getErrorCode() == ErrorCode.UNKNOWN_FAILURE.code()) {
      throw new BrokenInvariant(Invariant.NO_BUG, error.getErrorMessage());
    }
  }
}
