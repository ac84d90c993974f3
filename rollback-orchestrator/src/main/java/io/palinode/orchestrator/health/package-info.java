/**
 * All that verdicts and plans wait for, since when, and what nodes report about themselves. A core:
 * times are arguments.
 */
@NullMarked
package io.palinode.orchestrator.health;

import org.jspecify.annotations.NullMarked;
