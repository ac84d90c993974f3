/**
 * The detector, the window-log and the node's side of rollback inside an unmodified Voldemort
 * server.
 *
 * <p>{@link io.palinode.agent.weave.Weaver} weaves calls into the methods of the storage engines
 * that commit writes. {@link io.palinode.agent.engine.EngineHooks} passes these writes to a {@link
 * io.palinode.voldemort.StoreNode}, which stamps and logs them and passes them on. The node reads
 * and restores records through {@link io.palinode.agent.stock.StockEngines}. Classes of the server
 * are named by text only ({@link io.palinode.agent.stock.StockTypes}).
 *
 * <p>Promises, and who relies on them:
 *
 * <ul>
 *   <li><b>Every write once, in each key's order.</b> A write is stamped while the engine holds the
 *       lock of its record. (Detector, window-log.)
 *   <li><b>A failure of the agent never fails the server.</b> {@link io.palinode.agent.boot.Hooks}
 *       catches and counts it. At the limit the agent turns itself off and publishes a coverage
 *       gap. (Operators.)
 *   <li><b>A client that sends no context receives only fences</b>, as answers of an unreachable
 *       server. A client that sends one is also refused, as by a Palinode node, for an invalid
 *       context: no clock, an origin that is not a node, a name that is too long. A write is
 *       refused for a clock of another size or too far ahead. (Clients.)
 * </ul>
 *
 * <p>Hazards: a server that locks a record in one thread and writes it in another. Stores that are
 * added, or a cluster that changes, while the server runs: they are watched after its next start.
 */
@NullMarked
package io.palinode.agent;

import org.jspecify.annotations.NullMarked;
