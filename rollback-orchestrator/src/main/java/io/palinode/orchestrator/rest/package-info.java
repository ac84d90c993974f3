/**
 * The HTTP API, version 1. It has no users and no passwords: each client that reaches the port can
 * change predicates. It therefore listens on the loopback interface by default.
 *
 * <pre>
 * GET    /api/v1/predicates               all predicates in force
 * GET    /api/v1/predicates/{name}        one of them
 * PUT    /api/v1/predicates               applies the predicates of a YAML or XML document
 * PUT    /api/v1/predicates/{name}        applies one, which must have this name
 * DELETE /api/v1/predicates/{name}
 * GET    /api/v1/violations?limit=100     the latest first
 * GET    /api/v1/violations/{id}
 * GET    /api/v1/violations/{id}/witness  to be checked without the cluster; 409 when not all is known
 * GET    /api/v1/rollbacks?limit=100      the latest first
 * POST   /api/v1/rollbacks                restores a cut, of {"to", "violation", "undo"}; 409 with the reason
 * POST   /api/v1/rollbacks/plan           the effect of that; changes nothing
 * GET    /api/v1/rollbacks/{epoch}        by step and node
 * GET    /api/v1/rollbacks/{epoch}/discarded  when clients wrote what it discarded
 * POST   /api/v1/rollbacks/{epoch}/cancel   before its first Restore; 409 after it
 * GET    /api/v1/openapi.yaml             describes the routes for rollbacks
 * POST   /api/v1/rollbacks/{epoch}/retry    retries a halted one; 409 if that cannot succeed
 * POST   /api/v1/rollbacks/{epoch}/abandon  ends one without a restore
 * GET    /api/v1/snapshots                the latest first
 * POST   /api/v1/snapshots                takes one, of {"name", "at", "base", "rolling", "atOnce"}; 409 with the reason
 * GET    /api/v1/snapshots/{id}           with each node's part
 * POST   /api/v1/snapshots/{id}/cancel    cancels it
 * DELETE /api/v1/snapshots/{id}
 * GET    /api/v1/nodes
 * GET    /api/v1/status                   with the waits of judgement
 * POST   /api/v1/coverage/acknowledge     acknowledges gaps and abandoned plans
 * POST   /api/v1/alerts/test              sends one to each of the operators' destinations
 * GET    /metrics                         Prometheus
 * GET    /healthz                         200 while it runs and judgement continues, else 503
 * </pre>
 *
 * HLC times are text, {@code <µs>.<counter>}: a JSON number cannot hold them. An error is {@code
 * {"error": "one sentence"}}.
 */
@NullMarked
package io.palinode.orchestrator.rest;

import org.jspecify.annotations.NullMarked;
