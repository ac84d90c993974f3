package io.palinode.orchestrator.alert;

/**
 * The result of a test alert to one destination. Immutable.
 *
 * @param destination {@code console}, {@code kafka:TOPIC}, or {@code webhook:HOST}: the path may be
 *     a password
 * @param delivered whether the destination accepted the alert
 * @param answer what it answered, in a few words
 */
public record TestedDestination(String destination, boolean delivered, String answer) {}
