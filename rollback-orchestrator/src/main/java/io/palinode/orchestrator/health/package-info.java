/**
 * What nodes report of themselves, and what that means for the cluster. A core: times are
 * arguments.
 */
@NullMarked
package io.palinode.orchestrator.health;

import org.jspecify.annotations.NullMarked;
