/**
 * What the violations log says: violations that ask for a plan, what is judged, and coverage gaps.
 * A core: no clock, no I/O. All types are immutable.
 *
 * <p>Promise: a coverage gap stays unknown until its acknowledgement is in the control log.
 */
@NullMarked
package io.palinode.orchestrator.violations;

import org.jspecify.annotations.NullMarked;
