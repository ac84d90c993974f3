/**
 * A node in an Apache Cassandra server. {@code memtable} sees the mutations, {@code node} stamps
 * and publishes them, {@code table} reads tables and names their cells, {@code request} reads and
 * writes the epoch and the clock of requests.
 */
@NullMarked
package io.palinode.cassandra;

import org.jspecify.annotations.NullMarked;
