/** Threads, Kafka clients and meters around the detector. */
@NullMarked
package io.palinode.detector.kafka;

import org.jspecify.annotations.NullMarked;
