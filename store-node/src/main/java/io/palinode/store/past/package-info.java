/**
 * A node's stores with their past: window-logs, deletes, accesses, and questions about them.
 *
 * <p>{@link io.palinode.store.past.StoreSpec} is what a store brings: {@link
 * io.palinode.store.past.Placement} says where its keys live, and {@link
 * io.palinode.store.past.RecordRules} what its records mean.
 *
 * <p>Hazard: a change that is committed without an entry in the window-log cannot be undone.
 */
@NullMarked
package io.palinode.store.past;

import org.jspecify.annotations.NullMarked;
