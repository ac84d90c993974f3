/**
 * The agent in an application that uses Voldemort's own client. Requests carry a context with
 * client id, epoch and HVC ({@link io.palinode.voldemort.client.session.Session}); responses carry
 * one too. Only pb0 can carry contexts; other protocols stay unchanged.
 *
 * <p>Promises, and who relies on them:
 *
 * <ul>
 *   <li><b>A thread stays in the epoch in which it read.</b> Its requests carry that epoch, and
 *       servers refuse them after its end, until the thread is notified of the rollback.
 *       (Rollback.)
 *   <li><b>One notice for each thread.</b> After the end of its epoch, a thread gets one {@code
 *       ObsoleteVersionException} from its running or next operation, and enters the new epoch.
 *       (Programs that read again and retry, such as {@code applyUpdate}.)
 *   <li><b>A read repair names the node at which it was read.</b> (Detection: it is a copy, and
 *       opens no interval under {@code first}.)
 *   <li><b>A failure of the agent never fails the application.</b> {@link
 *       io.palinode.store.hosted.Fuse} counts it; at the limit the client runs without the agent.
 *   <li>Servers without the agent ignore the unknown field.
 * </ul>
 *
 * <p>Hazards: a thread that writes what another thread has read, without a read of its epoch;
 * requests that a server routes; sequential keys, which this client does not know, so it uses its
 * own R and W for them.
 */
@NullMarked
package io.palinode.agent.client;

import org.jspecify.annotations.NullMarked;
