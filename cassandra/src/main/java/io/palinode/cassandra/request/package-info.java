/**
 * The requests of programs that send an epoch and a clock.
 *
 * <p>It promises that no replica applies a mutation of such a request after it began a later epoch.
 * Hazard: hints and batches that a coordinator replays later carry no epoch.
 */
@NullMarked
package io.palinode.cassandra.request;

import org.jspecify.annotations.NullMarked;
