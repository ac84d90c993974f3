/**
 * The stream of events of the API (server-sent events).
 *
 * <p>A thread of each client reads the {@link io.palinode.orchestrator.history.ChangeLog} at its
 * own pace. So a client that does not read blocks its own thread only, until the server closes its
 * connection.
 */
@NullMarked
package io.palinode.orchestrator.rest.events;

import org.jspecify.annotations.NullMarked;
