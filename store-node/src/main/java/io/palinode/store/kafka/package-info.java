/** Threads, Kafka clients and meters around the node's side of control. */
@NullMarked
package io.palinode.store.kafka;

import org.jspecify.annotations.NullMarked;
