/**
 * Asks Kafka what {@code palinode doctor} shows of it. Blocks at most as long as a Kafka answer.
 */
@NullMarked
package io.palinode.orchestrator.kafka.doctor;

import org.jspecify.annotations.NullMarked;
