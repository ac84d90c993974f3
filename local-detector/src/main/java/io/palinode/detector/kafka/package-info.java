/** Threads, Kafka clients and meters around the detector and the node's side of control. */
@NullMarked
package io.palinode.detector.kafka;

import org.jspecify.annotations.NullMarked;
