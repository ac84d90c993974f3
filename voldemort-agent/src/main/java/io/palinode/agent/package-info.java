/**
 * The detector, the window-log and the node's side of rollback inside an unmodified Voldemort
 * server.
 *
 * <p>{@link io.palinode.agent.Weaver} puts calls into the methods of the storage engines through
 * which every committed write goes. {@link io.palinode.agent.EngineHooks} hears them and tells a
 * {@link io.palinode.voldemort.StoreNode}, which stamps, logs and tells them on as it does its own;
 * what that node reads and takes back goes through {@link io.palinode.agent.StockEngines}. No class
 * of the server is named but by text ({@link io.palinode.agent.StockTypes}).
 *
 * <p>Promises, and who relies on them:
 *
 * <ul>
 *   <li><b>Every write once, in each key's order.</b> A write is stamped while the engine holds the
 *       lock of its record. (Detector, window-log.)
 *   <li><b>A failure of ours is not the server's.</b> It is caught in {@link
 *       io.palinode.agent.boot.Hooks}, counted, and when there are too many the agent turns itself
 *       off and tells that coverage is lost. (Whoever runs the server.)
 *   <li><b>Clients that tell nothing along meet fences only.</b> What they are told then is what a
 *       server tells that cannot be reached. One of ours is refused too, as by a node of ours, when
 *       what it tells cannot be of this cluster: no clock, an origin that is no node, a name that
 *       is too long; or, with a write, a clock of another size or too far ahead. (Clients.)
 * </ul>
 *
 * <p>Hazards: a server that locks a record on one thread and writes it on another; stores that are
 * added, or a cluster that changes, while the server runs: they are watched from its next start on.
 */
@NullMarked
package io.palinode.agent;

import org.jspecify.annotations.NullMarked;
