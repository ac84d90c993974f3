package io.palinode.simulation.store;

import io.palinode.detector.binding.Version;
import io.palinode.voldemort.protocol.Pb0.ResponseContext;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A node's answer.
 *
 * @param found of a get
 * @param refusal null if the request was served
 */
public record Answer(List<Version> found, @Nullable Refusal refusal, ResponseContext context) {
  /** Why a request was not served. */
  public record Refusal(Kind kind, String message) {}

  public enum Kind {
    /** The node has a version that supersedes the written one. */
    OBSOLETE,
    /** The fence, the disk, or a wrong request. */
    REFUSED,
    /** A fault of the node's code. */
    BUG
  }

  public boolean isRefused() {
    return refusal != null;
  }

  public boolean is(Kind kind) {
    return refusal != null && refusal.kind() == kind;
  }
}
