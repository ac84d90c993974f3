package io.palinode.voldemort.vp;

/** What a request wants, by its first byte. */
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

  /** Throws {@link IllegalArgumentException} for a code that is none. */
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
