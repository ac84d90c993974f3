/**
 * The calls of woven methods in a server, as reads and writes of our node.
 *
 * <p>Guarantees: a write is stamped while the engine holds the lock of its record, so once and in
 * the key's order. While a thread is in the node, leaving needs no allocation.
 */
@NullMarked
package io.palinode.agent.engine;

import org.jspecify.annotations.NullMarked;
