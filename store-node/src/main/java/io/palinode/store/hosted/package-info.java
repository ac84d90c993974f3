/**
 * What a node inside another server's process needs: its own files, a detector that joins when
 * Kafka is reachable, and a count of its failures, none of which may stop the server.
 */
@NullMarked
package io.palinode.store.hosted;

import org.jspecify.annotations.NullMarked;
