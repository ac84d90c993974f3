/**
 * What each predicate asks for on a violation, and the settings of all rollbacks. A core: no clock,
 * no I/O. All types are immutable.
 */
@NullMarked
package io.palinode.orchestrator.policy;

import org.jspecify.annotations.NullMarked;
