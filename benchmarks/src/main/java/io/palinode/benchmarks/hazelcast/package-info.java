/**
 * Stock Hazelcast members beside some with Palinode's agent: each in a separate process, with
 * Hazelcast's own client. What it needs of Hazelcast is its jar on disk; nothing here is compiled
 * with it.
 */
@NullMarked
package io.palinode.benchmarks.hazelcast;

import org.jspecify.annotations.NullMarked;
