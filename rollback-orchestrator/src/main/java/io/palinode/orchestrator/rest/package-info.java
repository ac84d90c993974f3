/**
 * The HTTP API, version 1. It has no users and no passwords: whoever reaches the port may change
 * predicates, so it listens on the loopback interface unless it is told otherwise.
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
 * POST   /api/v1/rollbacks                takes the store back, of {"to", "violation", "undo"}; 409 says why not
 * POST   /api/v1/rollbacks/plan           what that would do, of the same; changes nothing
 * GET    /api/v1/rollbacks/{epoch}        by step and node
 * GET    /api/v1/rollbacks/{epoch}/discarded  when clients wrote what it discarded
 * POST   /api/v1/rollbacks/{epoch}/cancel   before its first Restore; 409 after it
 * GET    /api/v1/openapi.yaml             describes what is about rollbacks
 * POST   /api/v1/rollbacks/{epoch}/retry    has a halted one tried again; 409 when that is of no use
 * POST   /api/v1/rollbacks/{epoch}/abandon  has the cluster go on without a halted one
 * GET    /api/v1/snapshots                the latest first
 * POST   /api/v1/snapshots                takes one, of {"name", "at", "base", "rolling", "atOnce"}; 409 says why not
 * GET    /api/v1/snapshots/{id}           with each node's part
 * POST   /api/v1/snapshots/{id}/cancel    stops what is being taken under this name
 * DELETE /api/v1/snapshots/{id}
 * GET    /api/v1/nodes
 * GET    /api/v1/status                   with what the verdict on the present waits for
 * POST   /api/v1/coverage/acknowledge     lets the safe point pass what was lost or abandoned so far
 * GET    /metrics                         Prometheus
 * GET    /healthz                         200 while it works and judgement goes on, else 503
 * </pre>
 *
 * HLC times are text, {@code <µs>.<counter>}: a JSON number cannot hold them. An error is {@code
 * {"error": "one sentence"}}.
 */
@NullMarked
package io.palinode.orchestrator.rest;

import org.jspecify.annotations.NullMarked;
