/**
 * The state of the violations log: demands for a plan, judgement, and coverage gaps. A core: no
 * clock, no I/O. All types but {@link io.palinode.orchestrator.violations.SeenViolations} are
 * immutable.
 *
 * <p>Promise: a coverage gap stays unacknowledged until its acknowledgement is in the control log.
 */
@NullMarked
package io.palinode.orchestrator.violations;

import org.jspecify.annotations.NullMarked;
