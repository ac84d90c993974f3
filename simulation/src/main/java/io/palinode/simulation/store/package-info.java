/**
 * The stores that the simulator runs: how each opens a node, writes a version, and answers.
 *
 * <p>Clients of all stores keep their epoch in the session of {@code voldemort-client}, and
 * requests carry its context. Nothing else is shared: a store brings its versions and rules.
 */
@NullMarked
package io.palinode.simulation.store;

import org.jspecify.annotations.NullMarked;
