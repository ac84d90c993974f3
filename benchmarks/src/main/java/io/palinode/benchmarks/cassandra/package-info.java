/**
 * A stock Apache Cassandra server beside one with Palinode's memtable: each in a separate process,
 * with the same client. What it needs of Cassandra is its jars on disk; nothing here is compiled
 * with them.
 */
@NullMarked
package io.palinode.benchmarks.cassandra;

import org.jspecify.annotations.NullMarked;
