/**
 * Messages, topics and Kafka settings.
 *
 * <p>Guarantees: a producer made by {@link io.palinode.wire.KafkaSettings} keeps the order of a
 * partition and writes no record twice until it is closed; {@link io.palinode.wire.LogTail} passes
 * on every record of its source once, in order. Detection relies on the first for its sequence
 * check. Nodes and the orchestrator rely on the second for the total order of control.
 *
 * <p>Hazards: a new producer may repeat records of its predecessor. If partitions are added to the
 * candidates topic, an instance's candidates go to two partitions.
 */
@NullMarked
package io.palinode.wire;

import org.jspecify.annotations.NullMarked;
