/**
 * The node's steps of the rollback protocol: restore to a cut, merge at a cut, digests.
 *
 * <p>Promises: each step is one transaction that also records that it is done, so a repeat changes
 * nothing (I24). After the merge each node holds its data at the target plus merged versions, less
 * those that a delete covers (I18).
 */
@NullMarked
package io.palinode.store.restore;

import org.jspecify.annotations.NullMarked;
