package io.palinode.voldemort.protocol;

/** Why a node refused a request: {@code Error.error_code}. */
public enum ErrorCode {
  /** The general refusal; also an unknown store. */
  VOLDEMORT(1),
  INSUFFICIENT_OPERATIONAL_NODES(2),
  STORE_OPERATION_FAILURE(3),
  /** The store has a newer or equal version. */
  OBSOLETE_VERSION(4),
  UNKNOWN_FAILURE(6),
  UNREACHABLE_STORE(7),
  INCONSISTENT_DATA(8),
  /** The key is not this node's, by its cluster.xml; bootstrap again. */
  INVALID_METADATA(9),
  PERSISTENCE_FAILURE(10),
  UNSUPPORTED_VIEW_OPERATION(11),
  VOLDEMORT_APPLICATION(12),
  ALREADY_REBALANCING(13),
  VOLDEMORT_REBALANCING(14),
  PROXY_UNREACHABLE(15),
  UNSUPPORTED_OPERATION(16),
  QUOTA_EXCEEDED(17),
  SLOP_STREAMING_DISABLED(18),
  UNAUTHORIZED_STORE(19),
  ASYNC_OPERATION_STOPPED(20),
  READ_ONLY_FETCH_DISABLED(21),
  STORE_NOT_FOUND(22);

  private final int code;

  ErrorCode(int code) {
    this.code = code;
  }

  public int code() {
    return code;
  }

  public Pb0.Error toProto(String message) {
    return Pb0.Error.newBuilder().setErrorCode(code).setErrorMessage(message).build();
  }

  /** {@link #UNKNOWN_FAILURE} for a code that is not listed. */
  public static ErrorCode of(int code) {
    for (ErrorCode error : values()) {
      if (error.code == code) {
        return error;
      }
    }
    return UNKNOWN_FAILURE;
  }
}
