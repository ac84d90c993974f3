/**
 * The way of an event from the write to Kafka: a bounded ring, its gaps, and the encoding.
 *
 * <p>Promise: an event that finds no room becomes part of a gap, and is counted.
 */
@NullMarked
package io.palinode.detector.ring;

import org.jspecify.annotations.NullMarked;
