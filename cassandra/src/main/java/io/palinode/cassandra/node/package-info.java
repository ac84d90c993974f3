/**
 * The node of this server: its clock, its write order, its detector, and when it opens and ends.
 */
@NullMarked
package io.palinode.cassandra.node;

import org.jspecify.annotations.NullMarked;
