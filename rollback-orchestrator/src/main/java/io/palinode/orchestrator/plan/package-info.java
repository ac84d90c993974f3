/**
 * One run of the rollback protocol, as the records of its epoch describe it. A core: no clock, no
 * I/O. All types are immutable.
 *
 * <p>Promise: a record that does not fit the phase of a plan changes nothing. Every reader of the
 * control log therefore derives the same plan.
 */
@NullMarked
package io.palinode.orchestrator.plan;

import org.jspecify.annotations.NullMarked;
