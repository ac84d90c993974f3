package io.palinode.demo;

/** Which replica rules a run is judged by. */
public enum JudgedBy {
  FIRST,
  ANY,
  /** One run, each predicate once by each rule; only the one by {@code first} acts. */
  BOTH
}
