package io.palinode.voldemort;

/** What a node counts; the names are those of the metrics, in lower case. */
public enum NodeCounter {
  GETS("Requests that read"),
  PUTS("Requests to put a version"),
  DELETES("Requests to delete"),
  DELETES_FORGOTTEN(
      "Deletes dropped for lack of memory: no rollback applies them to other replicas"),
  OBSOLETE("Puts refused because the node has a newer or equal version"),
  FENCED("Requests refused for their epoch, or because the node is paused"),
  ERRORS("Requests refused for another reason, or failed"),
  CLOCKS_REFUSED("Requests refused because a clock in them is further ahead than max-drift"),
  CONNECTIONS_REFUSED("Connections refused because a limit was met and none was idle"),
  CONNECTIONS_CLOSED_IDLE("Idle connections closed to make room for new ones"),
  REQUESTS_DELAYED("Requests of more than 64 KiB that waited for memory to arrive in"),
  REQUESTS_LATE("Connections closed because a request did not arrive in time"),
  ANSWERS_UNREAD(
      "Connections closed because their client did not read an answer in time, or while answers had"
          + " no room"),
  MALFORMED("Connections closed for bytes that are no request, or with no protocol named in time"),
  /** Open are those that {@link #STOCK_CONNECTIONS_ENDED} does not count. */
  STOCK_CONNECTIONS("Connections of clients that send no clock, as stock ones do"),
  STOCK_CONNECTIONS_ENDED("Of these, those that have ended"),
  STOCK_WRITES("Writes accepted of clients that send no clock, stamped by the node's alone"),
  THROTTLED("Times that a connection was not read on until its answers were out"),
  WINDOW_LOG_LOST("Times that a window-log on disk lost what it had: not written, or damaged");

  private final String what;

  NodeCounter(String what) {
    this.what = what;
  }

  /** The description of the metric. */
  public String what() {
    return what;
  }
}
