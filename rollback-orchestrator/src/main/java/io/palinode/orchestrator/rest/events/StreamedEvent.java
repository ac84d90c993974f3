package io.palinode.orchestrator.rest.events;

/**
 * An event as a client receives it.
 *
 * @param type the field {@code event}
 * @param data the JSON of the field {@code data}
 */
public record StreamedEvent(String type, Object data) {}
