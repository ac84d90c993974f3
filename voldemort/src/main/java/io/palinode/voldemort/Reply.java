package io.palinode.voldemort;

import io.palinode.hvc.Hvc;

/**
 * The answer to a request that was served.
 *
 * @param hvc the node's reading after the operation; of no owner if the node keeps no past
 * @param acceptedAt the node's HLC of an accepted write, else 0
 * @param epoch the epoch in which it was served
 */
public record Reply<T>(T value, Hvc hvc, long acceptedAt, long epoch) {}
