/**
 * What passes between the job's tasks, and the bytes of that and of the job's state.
 *
 * <p>Hazard: a checkpoint names the snapshot class of each serializer of its state, such as {@code
 * io.palinode.monitor.flink.InstanceSerializer$Snapshot}. If such a class moves, the job cannot
 * resume from that checkpoint.
 */
@NullMarked
package io.palinode.monitor.flink;

import org.jspecify.annotations.NullMarked;
