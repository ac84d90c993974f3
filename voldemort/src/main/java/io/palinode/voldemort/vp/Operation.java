package io.palinode.voldemort.vp;

/** The operation of a request, in its first byte. */
enum Operation {
  GET(1),
  PUT(2),
  DELETE(3),
  GET_ALL(4),
  GET_VERSION(10);

  private final int code;

  Operation(int code) {
    this.code = code;
  }

  /** Throws {@link IllegalArgumentException} for an unknown code. */
  static Operation of(byte code) {
    for (Operation operation : values()) {
      if (operation.code == code) {
        return operation;
      }
    }
    throw new IllegalArgumentException(
        "an operation must be one of 1, 2, 3, 4, 10: operation=" + code);
  }
}
