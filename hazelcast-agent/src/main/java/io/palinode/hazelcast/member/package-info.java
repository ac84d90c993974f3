/** A Hazelcast member as the node sees it: its stores, partitions, configuration and pages. */
@NullMarked
package io.palinode.hazelcast.member;

import org.jspecify.annotations.NullMarked;
