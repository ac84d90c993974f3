/** What requests and answers carry between a program and the nodes in Cassandra servers. Pure. */
@NullMarked
package io.palinode.cql.protocol;

import org.jspecify.annotations.NullMarked;
