package io.palinode.benchmarks.stock;

/** Which table or map a round uses. */
public enum WatchMode {
  /** That of a stock store. */
  NONE,
  /** One that is not watched, of a store with Palinode. */
  UNWATCHED,
  /** One that is watched. */
  WATCHED,
  /** The same with a predicate. */
  PREDICATE
}
