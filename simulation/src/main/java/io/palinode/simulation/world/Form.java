package io.palinode.simulation.world;

/**
 * How the predicate is written. All forms but {@link #LASTING} mean the same: both flags of an edge
 * are up.
 */
public enum Form {
  ALL_OF("all: " + Form.BOTH),
  /** Two clients have a flag. */
  DISTINCT("atLeast: {count: 2, distinct: c, of: {var: 'cs_{a}_{b}_{c}', equals: '1'}}"),
  /** Only flags that are up are numbers. */
  SUM("sum: {of: ['cs_{a}_{b}_{a}', 'cs_{a}_{b}_{b}'], atLeast: 2}"),
  /** For longer than ε. */
  LASTING("{all: " + Form.BOTH + ", for: " + Form.HELD_FOR_MILLIS + "ms}");

  private static final String BOTH =
      "[{var: 'cs_{a}_{b}_{a}', equals: '1'}, {var: 'cs_{a}_{b}_{b}', equals: '1'}]";

  public static final long HELD_FOR_MILLIS = 15;

  /** One clause of YAML. */
  final String clause;

  Form(String clause) {
    this.clause = clause;
  }
}
