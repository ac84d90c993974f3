/**
 * What every verdict and plan waits for, since when, and what nodes report about themselves. A
 * core: times are arguments.
 */
@NullMarked
package io.palinode.orchestrator.health;

import org.jspecify.annotations.NullMarked;
