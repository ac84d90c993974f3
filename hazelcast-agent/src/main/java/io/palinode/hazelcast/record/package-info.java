/** Entries of maps as a node logs them and as predicates see them. Pure: without Hazelcast. */
@NullMarked
package io.palinode.hazelcast.record;

import org.jspecify.annotations.NullMarked;
