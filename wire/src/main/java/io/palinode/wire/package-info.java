/**
 * Messages, topics and how Kafka is spoken to.
 *
 * <p>Guarantees: a producer made by {@link io.palinode.wire.KafkaSettings} keeps the order of a
 * partition and writes no record twice while it lives; {@link io.palinode.wire.LogTail} hands over
 * every record of what it follows, in order, once. Detection relies on the first for its sequence
 * check, nodes and the orchestrator on the second for the total order of control.
 *
 * <p>Hazards: a producer that is made anew may repeat what the old one had sent; and partitions
 * that are added to the candidates' topic later send an instance's candidates to two places.
 */
@NullMarked
package io.palinode.wire;

import org.jspecify.annotations.NullMarked;
