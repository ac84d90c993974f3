/**
 * The agent in an application that uses Voldemort's own client: its requests say who asks, in which
 * epoch and what they know ({@link io.palinode.voldemort.client.Session}), and what servers answer
 * along is taken in. Only pb0 has room for that; other protocols go as they are.
 *
 * <p>Promises, and who relies on them:
 *
 * <ul>
 *   <li><b>A thread is in the epoch in which it read.</b> All that it asks for is of that epoch,
 *       which servers refuse when it is over, until it was told of the rollback. (Rollback.)
 *   <li><b>Told once.</b> Each thread that has worked in an epoch gets one {@code
 *       ObsoleteVersionException} when that is over, from the operation under way or its next one,
 *       and is in the new epoch from then on. (Programs that read again and retry, {@code
 *       applyUpdate} for one.)
 *   <li><b>What a read repairs names the node that it was read at.</b> (Detection: it is a copy of
 *       that, and begins nothing.)
 *   <li><b>A failure of ours is not the application's.</b> It is counted in {@link
 *       io.palinode.agent.Fuse}; when there are too many the client goes on as it was made.
 *   <li>Servers without the agent see a field that they do not know.
 * </ul>
 *
 * <p>Hazards: what one thread has read and another one writes, which had not used the store before;
 * requests that a server is to route; clients that may use some keys with R and W alone where the
 * cluster asks for more (sequential keys are not known here).
 */
@NullMarked
package io.palinode.agent.client;

import org.jspecify.annotations.NullMarked;
