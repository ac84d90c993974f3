/**
 * The extent of a violation: the writes that depend on its witnesses, and the clients that read
 * them. Pure: no thread, clock or I/O.
 *
 * <p>Promises, each with the part that relies on it:
 *
 * <ul>
 *   <li><b>Sound.</b> Each write that depends on a witness's write, over any chain of reads and
 *       writes of clients, is in the closure; or the answer is {@link
 *       io.palinode.store.affected.Everything}. (A rollback of scope {@code affected}.)
 *   <li><b>Closed by keys.</b> All writes of a key after its first undone write are undone too. A
 *       key is thus restored to one time, on all its replicas. (The undo.)
 *   <li><b>Deterministic.</b> The answer follows from the question and the traces alone, so all
 *       readers of the control log compute the same answer. (The nodes.)
 * </ul>
 *
 * <p>Hazards: values that clients exchange outside the store are invisible; such a program needs
 * one client, or scope {@code all}. A client that does not send its HVC is ordered as if it had
 * received nothing; a client without an id is therefore never followed.
 */
@NullMarked
package io.palinode.store.affected;

import org.jspecify.annotations.NullMarked;
