package io.palinode.simulation.world;

/**
 * How the predicate is written. The first four forms mean the same: both flags of an edge are up.
 */
public enum Form {
  ALL_OF("all: " + Form.BOTH),
  /** Two clients have a flag. */
  DISTINCT("atLeast: {count: 2, distinct: c, of: {var: 'cs_{a}_{b}_{c}', equals: '1'}}"),
  /** Only flags that are up are numbers. */
  SUM("sum: {of: ['cs_{a}_{b}_{a}', 'cs_{a}_{b}_{b}'], atLeast: 2}"),
  /** The same, of all clients that have a flag. */
  TOTAL("sum: {of: {var: 'cs_{a}_{b}_{c}'}, distinct: c, count: 2, atLeast: 2}"),
  /** For longer than ε. */
  LASTING("{all: " + Form.BOTH + ", for: " + Form.HELD_FOR_MILLIS + "ms}"),
  /** The same of numbers. */
  LASTING_SUM(
      "{sum: {of: {var: 'cs_{a}_{b}_{c}'}, distinct: c, count: 2, atLeast: 2}, for: "
          + Form.HELD_FOR_MILLIS
          + "ms}"),
  /** The second client does not enter within a time after the first one. */
  WITHIN(
      "within: {time: "
          + Form.ANSWERED_MILLIS
          + "ms, after: {var: 'cs_{a}_{b}_{a}', equals: '1'},"
          + " missing: {var: 'cs_{a}_{b}_{b}', equals: '1'}}"),
  /** A client writes a shared key over what it has not seen. */
  LOST_UPDATE("all: [{var: '" + WatchedMutex.SHARED + "{k}', lostUpdate: true}]", "key: '{k}'"),
  /**
   * A client reads a shared key as it was before the client had written or read a later version.
   */
  STALE_READ("all: [{var: '" + WatchedMutex.SHARED + "{k}', staleRead: true}]", "key: '{k}'"),
  /** The same, but only of what the client had read. */
  NON_MONOTONIC_READ(
      "all: [{var: '" + WatchedMutex.SHARED + "{k}', nonMonotonicRead: true}]", "key: '{k}'");

  private static final String BOTH =
      "[{var: 'cs_{a}_{b}_{a}', equals: '1'}, {var: 'cs_{a}_{b}_{b}', equals: '1'}]";

  public static final long HELD_FOR_MILLIS = 15;

  public static final long ANSWERED_MILLIS = 100;

  /** One clause of YAML. */
  final String clause;

  /** Of an instance, in YAML. */
  final String forEach;

  Form(String clause) {
    this(clause, "edge: '{a}_{b}'");
  }

  Form(String clause, String forEach) {
    this.clause = clause;
    this.forEach = forEach;
  }
}
