package io.palinode.store.past;

/**
 * What a node counts about its past. Both run under locks of the past, and return at once.
 *
 * @param logLost a window-log on disk could not be written, or was damaged
 * @param deleteForgotten a delete was dropped for lack of memory
 */
public record PastEvents(Runnable logLost, Runnable deleteForgotten) {}
