package io.palinode.hvc;

/** How one interval lies to another. */
public enum Order {
  BEFORE,
  AFTER,
  CONCURRENT
}
