package io.palinode.cassandra.table;

/** Thrown if a delete covers too many bytes to read them first. Has no stack trace. */
public final class LargeReadException extends RuntimeException {
  private static final long serialVersionUID = 1;

  /**
   * @param bytesMax the limit
   */
  public LargeReadException(String table, long bytesMax) {
    super(
        "a delete of %s covers more than %d bytes; see 'partition_max'".formatted(table, bytesMax),
        null,
        false,
        false);
  }
}
