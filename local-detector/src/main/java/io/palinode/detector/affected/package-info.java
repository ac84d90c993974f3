/**
 * How far a violation went: which writes came of its witnesses, and who has seen them. Pure: no
 * thread, clock or I/O.
 *
 * <p>Promises, and who relies on them:
 *
 * <ul>
 *   <li><b>Sound.</b> What depends on a witness's write, over any chain of reads and writes of
 *       clients, is in the closure; or the answer is {@link
 *       io.palinode.detector.affected.Everything}. (A rollback of scope {@code affected}.)
 *   <li><b>Closed by keys.</b> Of a key, what came after the first write that is undone is undone
 *       too. So a key goes back to one time, on all its replicas. (The undo.)
 *   <li><b>Alike.</b> The answer follows from what was asked and from the traces alone, so all who
 *       read them in the control log come to the same. (The nodes.)
 * </ul>
 *
 * <p>Hazards: values that go from client to client beside the store are not seen; a program that
 * does that needs one client, or scope {@code all}. A client that does not send along what it has
 * heard of clocks is ordered where it knew nothing; so one that tells no name is never followed.
 */
@NullMarked
package io.palinode.detector.affected;

import org.jspecify.annotations.NullMarked;
