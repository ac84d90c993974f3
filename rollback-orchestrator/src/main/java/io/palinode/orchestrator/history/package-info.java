/**
 * The past that the API shows: violations, rollbacks, nodes and predicate versions. A core: no
 * clock, no I/O. No plan depends on it.
 *
 * <p>Promise: every table has a limit, and drops its oldest entry first.
 */
@NullMarked
package io.palinode.orchestrator.history;

import org.jspecify.annotations.NullMarked;
