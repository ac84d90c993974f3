package io.palinode.hvc;

/** What is done with intervals that are causally ordered but closer than ε. */
public enum Uncertainty {
  /** They are called concurrent, with the grade {@link Grade#UNCERTAIN}: the paper's rule. */
  CONSERVATIVE,
  /** What is causally ordered is never called concurrent. */
  CAUSAL
}
