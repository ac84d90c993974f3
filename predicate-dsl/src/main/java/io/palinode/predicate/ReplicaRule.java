package io.palinode.predicate;

/** Which intervals count when a variable has several replicas. */
public enum ReplicaRule {
  /**
   * One interval a store version: from the first node that accepted it to the first that accepted a
   * version superseding it.
   */
  FIRST,
  /**
   * Every replica's interval by itself: the paper's rule. A replica that lags can make a phantom
   * violation.
   */
  ANY
}
