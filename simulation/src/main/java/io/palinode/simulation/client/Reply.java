package io.palinode.simulation.client;

/** The meaning of a node's answer to a client, or of its absence. */
enum Reply {
  COUNTS,
  PAUSED,
  OVER,
  OBSOLETE,
  FAILED
}
