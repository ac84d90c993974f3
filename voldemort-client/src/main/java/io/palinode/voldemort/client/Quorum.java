package io.palinode.voldemort.client;

/**
 * How many replicas an operation is to have.
 *
 * @param required with fewer it fails
 * @param preferred it waits for so many, as long as they may still answer and its time is not over;
 *     then the required ones do
 */
record Quorum(int required, int preferred) {
  Quorum {
    if (required < 0 || preferred < required) {
      throw new IllegalArgumentException(
          "at least as many must be preferred as are required: required=%d preferred=%d"
              .formatted(required, preferred));
    }
  }

  /** Which prefers no more than it needs. */
  static Quorum of(int required) {
    return new Quorum(required, required);
  }

  boolean prefersMore() {
    return preferred > required;
  }
}
