/**
 * The HTTP API, version 1. It has no users and no passwords: each client that reaches the port can
 * change predicates. It therefore listens on the loopback interface by default.
 *
 * <p>{@code openapi.yaml} beside this package's classes describes every route. A test compares it
 * with the routes of a running server, and its schemas with the records that the server writes and
 * reads.
 *
 * <p>HLC times are text, {@code <µs>.<counter>}: a JSON number cannot hold them. An error is a
 * {@link io.palinode.orchestrator.rest.problem.Problem}.
 */
@NullMarked
package io.palinode.orchestrator.rest;

import org.jspecify.annotations.NullMarked;
