package io.palinode.voldemort;

/** What a node counts; the names are those of the metrics, in lower case. */
public enum NodeCounter {
  GETS,
  PUTS,
  DELETES,
  /** Deletes of which, for want of memory, no rollback will know what they covered elsewhere. */
  DELETES_FORGOTTEN,
  /** Puts refused because the node has a newer or equal version. */
  OBSOLETE,
  /** Requests refused for their epoch or because the node is paused. */
  FENCED,
  /** Requests refused for another reason, or failed. */
  ERRORS,
  /** Connections refused above the limit. */
  CONNECTIONS_REFUSED,
  /** Connections closed for bytes that are no request, or that named no protocol in time. */
  MALFORMED,
  /**
   * Connections of clients that tell no clock, as stock ones do. That they are open still is what
   * {@link #STOCK_CONNECTIONS_ENDED} leaves.
   */
  STOCK_CONNECTIONS,
  STOCK_CONNECTIONS_ENDED,
  /** Writes of such clients that were accepted: stamped by this node's clock alone. */
  STOCK_WRITES,
  /** Times that a connection was not read on until its answers were out. */
  THROTTLED,
  /** Times that a window-log on disk lost what it had: it could not be written, or was damaged. */
  WINDOW_LOG_LOST
}
