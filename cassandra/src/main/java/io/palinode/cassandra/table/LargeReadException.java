package io.palinode.cassandra.table;

/** Thrown if a partition, or what a delete covers, is too large to read. Has no stack trace. */
public final class LargeReadException extends RuntimeException {
  private static final long serialVersionUID = 1;

  /**
   * @param bytesMax the limit
   */
  public LargeReadException(String table, long bytesMax) {
    super(
        "more than %d bytes of %s must be read at once; see 'partition_max'"
            .formatted(bytesMax, table),
        null,
        false,
        false);
  }
}
