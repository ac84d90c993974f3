package io.palinode.orchestrator.rest.events;

/**
 * The data of the first event of a stream.
 *
 * @param missed whether events after the client's {@code Last-Event-ID} are no longer known
 */
public record StreamStart(boolean missed) {}
