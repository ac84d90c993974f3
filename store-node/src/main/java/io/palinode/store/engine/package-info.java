/**
 * The storage of a node: records by key, committed atomically with a durability.
 *
 * <p>Promise: a commit is atomic, and pages follow the unsigned order of keys.
 */
@NullMarked
package io.palinode.store.engine;

import org.jspecify.annotations.NullMarked;
