/**
 * The state that the control log describes, and the appends that are not in that log yet. A core:
 * no clock, no I/O. All types are immutable.
 *
 * <p>Promise: the same log gives the same {@link io.palinode.orchestrator.state.ControlLogState},
 * in every process.
 */
@NullMarked
package io.palinode.orchestrator.state;

import org.jspecify.annotations.NullMarked;
