/**
 * The next record that the orchestrator appends to the control log. Each class answers one question
 * from the state alone. A core: no clock, no I/O.
 *
 * <p>Promise: the same state gives the same step. An orchestrator that was killed before it wrote a
 * step decides it again.
 */
@NullMarked
package io.palinode.orchestrator.step;

import org.jspecify.annotations.NullMarked;
