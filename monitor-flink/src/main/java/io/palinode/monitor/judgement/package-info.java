/**
 * How far the partitions are complete, and when to publish how far judgement has come.
 *
 * <p>Guarantee: a watermark W of {@link io.palinode.monitor.judgement.ProgressWatermarks} means
 * that every event of every node with an own HLC at or before W has been read from the partition.
 * Judgement relies on it.
 *
 * <p>Hazard: a node that stops writing progress stops the watermark, and with it all judgement.
 */
@NullMarked
package io.palinode.monitor.judgement;

import org.jspecify.annotations.NullMarked;
